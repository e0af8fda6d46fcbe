package org.millrace.mount.serve;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.millrace.env.Env;
import org.millrace.files.FileTree.Removing;
import org.millrace.mount.fuse.Opcode;
import org.millrace.mount.fuse.Reply;
import org.millrace.mount.fuse.Request;
import org.millrace.mount.fuse.Structs.Release;
import org.millrace.mount.system.Errno;

/** Hands each request to the one that answers it. Safe for use by several threads. */
public final class Dispatcher {

  /** What happens to a reply. */
  enum Outcome {
    /** It is sent. */
    SEND,
    /** The kernel wants none. */
    NONE,
    /** Another thread sends one later. */
    LATER
  }

  private final Served served;
  private final Semaphore waiting;
  private final Slots<OpenFile> files = new Slots<>();
  private final NameCalls names;
  private final AttributeCalls attributes;
  private final FileCalls contents;
  private final DirectoryCalls directories;
  private final LockCalls locks;

  /**
   * Answers from what is served.
   *
   * @param threads how many serve
   */
  public Dispatcher(Served served, int threads) {
    waiting = new Semaphore(threads * 3 / 4);
    this.served = served;
    names = new NameCalls(served);
    attributes = new AttributeCalls(served, files);
    contents = new FileCalls(served, files);
    directories = new DirectoryCalls(served);
    locks = new LockCalls(served, files);
  }

  /** Puts the answer to a request into a reply; a failure is thrown. */
  Outcome dispatch(Request request, Reply reply, LockCalls.Later later) throws IOException {
    Opcode opcode = request.opcode();
    if (opcode == null) {
      throw new Refusal(Errno.ENOSYS);
    }
    switch (opcode) {
      case FORGET, BATCH_FORGET, NOTIFY_REPLY -> {
        return Outcome.NONE; // a node is a file's own number: nothing is remembered
      }
      case INTERRUPT -> {
        locks.interrupt(request);
        return Outcome.NONE;
      }
      case SETLKW -> {
        return locks.setWaiting(request, later) ? Outcome.SEND : Outcome.LATER;
      }
      case SETLK -> {
        return locks.set(request, later) ? Outcome.SEND : Outcome.LATER;
      }
      case INIT -> Negotiation.answer(request, reply, served.pages());
      case DESTROY, FSYNCDIR -> {} // changes of names are durable when they are answered
      case READ -> contents.read(request, reply);
      case WRITE -> contents.write(request, reply);
      case LOOKUP -> names.lookup(request, reply);
      case MKDIR -> names.mkdir(request, reply);
      case MKNOD -> names.mknod(request, reply);
      case SYMLINK -> names.symlink(request, reply);
      case READLINK -> names.readlink(request, reply);
      case LINK -> names.link(request, reply);
      case UNLINK -> names.remove(request, Removing.FILE);
      case RMDIR -> names.remove(request, Removing.DIRECTORY);
      case RENAME -> names.rename(request);
      case RENAME2 -> names.rename2(request);
      case STATFS -> names.statfs(reply);
      case GETATTR -> attributes.getattr(request, reply);
      case SETATTR -> attributes.setattr(request, reply);
      case GETXATTR -> attributes.getxattr(request, reply);
      case LISTXATTR -> attributes.listxattr(request, reply);
      case SETXATTR -> attributes.setxattr(request);
      case REMOVEXATTR -> attributes.removexattr(request);
      case OPEN -> contents.open(request, reply);
      case CREATE -> contents.create(request, reply);
      case RELEASE -> release(request);
      case FSYNC -> contents.fsync(request);
      case FALLOCATE -> contents.fallocate(request);
      case LSEEK -> contents.lseek(request, reply);
      case COPY_FILE_RANGE -> contents.copyRange(request, reply);
      case FLUSH -> locks.flush(request);
      case GETLK -> locks.get(request, reply);
      case OPENDIR -> directories.open(request, reply);
      case READDIR -> directories.read(request, reply, false);
      case READDIRPLUS -> directories.read(request, reply, true);
      case RELEASEDIR -> directories.release(request);
      case ACCESS, BMAP, IOCTL, POLL, SETUPMAPPING, REMOVEMAPPING, SYNCFS, TMPFILE ->
          throw new Refusal(Errno.ENOSYS); // the kernel does without, and does not ask again
    }
    return Outcome.SEND;
  }

  /** Threads that may wait for other mounts at once: fewer than serve. */
  Semaphore waiting() {
    return waiting;
  }

  /** The kernel has the answer to a request. */
  void answered(Request request) {
    Opcode opcode = request.opcode();
    if (opcode == Opcode.READ || opcode == Opcode.WRITE) {
      contents.answered(request, opcode == Opcode.WRITE);
    }
  }

  Env env() {
    return served.env();
  }

  private void release(Request request) throws IOException {
    locks.released(Served.id(request), request.i8(Release.OWNER));
    contents.release(request);
  }
}
