package org.millrace.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.files.ByteLock;
import org.millrace.files.FileHandle;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.NewFile;
import org.millrace.mount.ReconnectingTree.Call;
import org.millrace.mount.ReconnectingTree.Life;

/**
 * An open file that is opened again, by its number, in the session that follows one that is over;
 * unless something can have been lost with it: bytes that this handle has written and not forced,
 * locks, or a file without a name. Then everything but closing fails with LOST, because a program
 * that goes on would rely on what is not there.
 *
 * <p>Safe for use by several threads.
 */
final class ReconnectingHandle implements FileHandle {

  /** The file, open in a session. */
  private record Opened(Life life, FileHandle handle) {}

  // Constant after construction.
  private final ReconnectingTree tree;
  private final long id;
  private final Set<Opening> how;
  private final ReentrantLock lock = new ReentrantLock();

  /** Writes that were done, and how many of them are known to be durable. */
  private final AtomicLong written = new AtomicLong();

  private final AtomicLong durable = new AtomicLong();

  /** Who has locked something; one who gave back only ranges counts still. */
  private final Set<Long> lockOwners = ConcurrentHashMap.newKeySet();

  // Written with the lock held.
  private volatile Opened opened;
  private volatile @Nullable String lost;

  ReconnectingHandle(ReconnectingTree tree, Life life, FileHandle handle, Set<Opening> how) {
    this.tree = tree;
    this.id = handle.id();
    this.how = EnumSet.copyOf(how);
    this.how.retainAll(Set.of(Opening.READ, Opening.WRITE));
    if (how.contains(Opening.TRUNCATE)) {
      written.set(1);
    }
    opened = new Opened(life, handle);
  }

  /** Does what makes no difference when it is done twice. */
  private <R> R again(Call<FileHandle, R> call) throws IOException {
    Opened now = ready();
    try {
      return call.with(now.handle);
    } catch (MillraceException e) {
      if (!ReconnectingTree.endsLife(now.life, e)) {
        throw e;
      }
      return call.with(reopened(now, e).handle);
    }
  }

  /** Does what must not be done twice: it fails if its session ends meanwhile. */
  private <R> R once(Call<FileHandle, R> call) throws IOException {
    return call.with(ready().handle);
  }

  /** The file in a session that is not known to be over. */
  private Opened ready() throws IOException {
    String why = lost;
    if (why != null) {
      throw new MillraceException(ErrorCode.LOST, why);
    }
    Opened now = opened;
    if (now.life.tree().isOver()) {
      return reopened(now, ReconnectingTree.over());
    }
    return now;
  }

  private Opened reopened(Opened over, MillraceException cause) throws IOException {
    Life next = tree.next(over.life, cause);
    lock.lock();
    try {
      if (opened != over) {
        return opened;
      }
      if (written.get() > durable.get()) {
        throw lose("has written bytes that it did not force", cause);
      }
      if (!lockOwners.isEmpty()) {
        throw lose("had locks, which are gone", cause);
      }
      opened = new Opened(next, open(next, cause));
      return opened;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private FileHandle open(Life next, MillraceException cause) throws IOException {
    try {
      return next.tree().open(FilePath.of(id), how, NewFile.with(0));
    } catch (NoSuchNameException e) {
      cause.addSuppressed(e);
      throw lose("was open without a name", cause);
    }
  }

  @GuardedBy("lock")
  private MillraceException lose(String why, MillraceException cause) {
    String already = lost;
    String told =
        already != null
            ? already
            : "file %s %s when the session at the cluster ended: open it again".formatted(id, why);
    if (already == null) {
      lost = told;
      tree.log(told);
    }
    return new MillraceException(ErrorCode.LOST, told, cause);
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public boolean isDelegated() {
    return opened.handle.isDelegated();
  }

  @Override
  public FileStatus status() throws IOException {
    return again(FileHandle::status);
  }

  @Override
  public FileStatus statusSinceOpening() throws IOException {
    return again(FileHandle::statusSinceOpening);
  }

  @Override
  public long size() throws IOException {
    return again(FileHandle::size);
  }

  @Override
  public long read(long position, MemorySegment into) throws IOException {
    return again(handle -> handle.read(position, into));
  }

  @Override
  public void write(long position, MemorySegment from) throws IOException {
    written.addAndGet(
        again(
            handle -> {
              handle.write(position, from);
              return 1L;
            }));
  }

  @Override
  public long append(MemorySegment from) throws IOException {
    long at = once(handle -> handle.append(from));
    written.incrementAndGet();
    return at;
  }

  @Override
  public void resize(long bytes) throws IOException {
    written.addAndGet(
        again(
            handle -> {
              handle.resize(bytes);
              return 1L;
            }));
  }

  @Override
  public void reserve(long position, long bytes, boolean lengthen) throws IOException {
    written.addAndGet(
        again(
            handle -> {
              handle.reserve(position, bytes, lengthen);
              return 1L;
            }));
  }

  @Override
  public OptionalLong nextData(long position) throws IOException {
    return again(handle -> handle.nextData(position));
  }

  @Override
  public void force(boolean name) throws IOException {
    long done =
        again(
            handle -> {
              long before = written.get();
              handle.force(name);
              return before;
            });
    durable.accumulateAndGet(done, Math::max);
  }

  @Override
  public boolean lock(ByteLock range, long waitNanos) throws IOException {
    boolean locks = range.kind() != ByteLock.Kind.NONE;
    boolean done = once(handle -> handle.lock(range, waitNanos));
    if (done && locks) {
      lockOwners.add(range.owner());
    }
    return done;
  }

  @Override
  public Optional<ByteLock> conflict(ByteLock range) throws IOException {
    return again(handle -> handle.conflict(range));
  }

  @Override
  public void unlockAll(long owner) throws IOException {
    Opened now = opened;
    lockOwners.remove(owner);
    if (lost == null && !now.life.tree().isOver()) { // else they went with the session
      now.handle.unlockAll(owner);
    }
  }

  /** What is open in a session that is over has been closed with it. */
  @Override
  public void close() throws IOException {
    Opened now = opened;
    if (!now.life.tree().isOver()) {
      now.handle.close();
    }
  }
}
