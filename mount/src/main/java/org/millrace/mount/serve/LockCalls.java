package org.millrace.mount.serve;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.millrace.env.ThreadKind;
import org.millrace.files.ByteLock;
import org.millrace.files.ByteLock.Kind;
import org.millrace.files.FileHandle;
import org.millrace.mount.fuse.Reply;
import org.millrace.mount.fuse.Request;
import org.millrace.mount.fuse.Structs.Flush;
import org.millrace.mount.fuse.Structs.Lock;
import org.millrace.mount.system.Errno;

/**
 * Requests about locks. Those of fcntl(2) are locks of bytes below {@link #WHOLE}; those of
 * flock(2) lock the byte at {@link #WHOLE}, which no file has, so that the two do not meet.
 *
 * <p>Safe for use by several threads.
 */
final class LockCalls {

  /** Where locks of whole files are. */
  static final long WHOLE = 1L << 62;

  private static final int EXCLUSIVE = 1;
  private static final int NONE = 2;

  /** For how long a wait goes on before it looks for an interrupt. */
  private static final long TURN_NANOS = 250_000_000L;

  /** An owner that has locked something of a file. */
  private record Owner(long file, long owner) {}

  private final Served served;
  private final Slots<OpenFile> files;
  private final Interrupts interrupts = new Interrupts();

  /** Processes of owners that may have locks, so that closing files without locks asks nobody. */
  private final ConcurrentHashMap<Owner, Integer> processes = new ConcurrentHashMap<>();

  LockCalls(Served served, Slots<OpenFile> files) {
    this.served = served;
    this.files = files;
  }

  void get(Request request, Reply reply) throws IOException {
    FileHandle handle = handle(request);
    Optional<ByteLock> found = handle.conflict(wanted(request));
    int at = reply.add(Lock.OUT_BYTES) - Lock.START;
    if (found.isEmpty()) {
      reply.put4(at + Lock.TYPE, NONE);
      return;
    }
    ByteLock lock = found.get();
    boolean endless = lock.length() > WHOLE - lock.from() - 1;
    reply.put8(at + Lock.START, lock.from());
    reply.put8(at + Lock.END, endless ? Long.MAX_VALUE : lock.from() + lock.length() - 1);
    reply.put4(at + Lock.TYPE, lock.kind() == Kind.EXCLUSIVE ? EXCLUSIVE : 0);
    reply.put4(at + Lock.PID, processes.getOrDefault(new Owner(handle.id(), lock.owner()), 0));
  }

  /**
   * Sets a lock, unless others have it.
   *
   * @param later gets the answer if the call returns false
   */
  boolean set(Request request, Later later) throws IOException {
    OpenFile file = files.get(request.i8(Lock.HANDLE));
    if (!trySet(file.handle(), wanted(request), request.i4(Lock.PID), 0)) {
      throw new Refusal(Errno.EAGAIN);
    }
    return isFresh(file, later);
  }

  /**
   * Whether the kernel has no bytes that may be older than a lock; else another thread has it drop
   * them before it answers.
   */
  private boolean isFresh(OpenFile file, Later later) {
    if (!file.pages().isShared()) {
      return true;
    }
    long id = file.handle().id();
    served
        .env()
        .start(
            ThreadKind.OPERATION,
            "mount-lock-of-" + id,
            () -> later.answer(() -> served.pages().drop(id)));
    return false;
  }

  /**
   * Sets a lock, and waits on a thread of its own if others have it: all threads that serve could
   * wait for the unlocking that none of them would read.
   *
   * @param later gets the answer if the call returns false
   */
  boolean setWaiting(Request request, Later later) throws IOException {
    OpenFile file = files.get(request.i8(Lock.HANDLE));
    FileHandle handle = file.handle();
    ByteLock lock = wanted(request);
    int process = request.i4(Lock.PID);
    if (trySet(handle, lock, process, 0)) {
      return isFresh(file, later);
    }
    long unique = request.unique();
    interrupts.begin(unique);
    served
        .env()
        .start(
            ThreadKind.OPERATION,
            "mount-lock-" + unique,
            () -> later.answer(() -> await(file, lock, process, unique)));
    return false;
  }

  /** What the answer to a request becomes later. */
  interface Later {
    /** Runs a step and sends what comes of it. */
    void answer(Step step);
  }

  /** A step that may fail. */
  interface Step {
    /** Runs it. */
    void run() throws IOException;
  }

  void interrupt(Request request) {
    interrupts.interrupt(request.i8(0));
  }

  /** A process has closed a descriptor: its locks on the file go. */
  void flush(Request request) throws IOException {
    FileHandle handle = files.get(request.i8(Flush.HANDLE)).handle();
    long owner = request.i8(Flush.OWNER);
    if (!processes.isEmpty() && processes.remove(new Owner(handle.id(), owner)) != null) {
      handle.unlockAll(owner);
    }
  }

  /** A file of which nothing is locked any more by an owner of flock(2). */
  void released(long file, long owner) {
    if (!processes.isEmpty()) {
      processes.remove(new Owner(file, owner));
    }
  }

  private void await(OpenFile file, ByteLock lock, int process, long unique) throws IOException {
    try {
      while (!trySet(file.handle(), lock, process, TURN_NANOS)) {
        if (interrupts.isInterrupted(unique)) {
          throw new Refusal(Errno.EINTR);
        }
      }
      if (file.pages().isShared()) {
        served.pages().drop(file.handle().id());
      }
    } finally {
      interrupts.end(unique);
    }
  }

  private boolean trySet(FileHandle handle, ByteLock lock, int process, long waitNanos)
      throws IOException {
    if (lock.kind() != Kind.NONE) {
      processes.put(new Owner(handle.id(), lock.owner()), process);
    }
    return handle.lock(lock, waitNanos);
  }

  private FileHandle handle(Request request) throws Refusal {
    return files.get(request.i8(Lock.HANDLE)).handle();
  }

  private static ByteLock wanted(Request request) throws Refusal {
    Kind kind =
        switch (request.i4(Lock.TYPE)) {
          case 0 -> Kind.SHARED;
          case EXCLUSIVE -> Kind.EXCLUSIVE;
          case NONE -> Kind.NONE;
          default -> throw new Refusal(Errno.EINVAL);
        };
    long owner = request.i8(Lock.OWNER);
    if ((request.i4(Lock.FLAGS) & 1) != 0) {
      return new ByteLock(owner, WHOLE, 1, kind);
    }
    long start = request.i8(Lock.START);
    long end = Math.min(request.i8(Lock.END), WHOLE - 1);
    if (start < 0 || end < start) {
      throw new Refusal(Errno.EINVAL);
    }
    return new ByteLock(owner, start, end - start + 1, kind);
  }
}
