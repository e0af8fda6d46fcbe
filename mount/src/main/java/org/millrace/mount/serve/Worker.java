package org.millrace.mount.serve;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import org.millrace.env.ThreadKind;
import org.millrace.mount.fuse.Opcode;
import org.millrace.mount.fuse.Reply;
import org.millrace.mount.fuse.Request;
import org.millrace.mount.fuse.Structs;
import org.millrace.mount.system.Errno;
import org.millrace.mount.system.FuseDevice;

/**
 * Reads requests and writes replies until the mount is gone. Its two buffers are used for all
 * requests; the bytes of a read or write begin at a page in them.
 *
 * <p>One thread runs it.
 */
public final class Worker implements Runnable {

  private static final int PAGE = 4096;
  private static final int NOTICE_BYTES = Structs.Out.BYTES + Structs.InvalInode.BYTES;

  /** After these, programs expect to see what others have done before. */
  private static final Set<Opcode> FRESH = EnumSet.of(Opcode.OPEN, Opcode.SETLK, Opcode.SETLKW);

  /** These may wait for other mounts, which the coordinator asks to give something back. */
  private static final Set<Opcode> MAY_WAIT =
      EnumSet.of(Opcode.OPEN, Opcode.CREATE, Opcode.SETATTR);

  // Constant after construction.
  private final Dispatcher dispatcher;
  private final Turns turns;
  private final FuseDevice.Port port;
  private final Consumer<String> log;
  private final Runnable ready;
  private final Request request;
  private final Reply reply;
  private final MemorySegment notice;

  /**
   * Makes a worker.
   *
   * @param turns of all workers of the mount
   * @param memory for its buffers, open to all threads
   * @param ready runs when the first request is answered
   */
  public Worker(
      Dispatcher dispatcher,
      Turns turns,
      FuseDevice device,
      Arena memory,
      Consumer<String> log,
      Runnable ready) {
    this.dispatcher = dispatcher;
    this.turns = turns;
    this.log = log;
    this.ready = ready;
    this.port = device.port();
    request = new Request(buffer(memory, Structs.In.BYTES + Structs.Transfer.BYTES));
    reply = new Reply(buffer(memory, Structs.Out.BYTES));
    notice = memory.allocate(NOTICE_BYTES, Long.BYTES);
  }

  @Override
  public void run() {
    try {
      boolean more = true;
      while (more) {
        long bytes = next();
        more = bytes > 0 ? serve(bytes) : isPassing(bytes);
      }
    } finally {
      port.close();
    }
  }

  /** Waits for a request. */
  private long next() {
    turns.begin();
    try {
      return port.read(request.buffer());
    } finally {
      turns.end();
    }
  }

  /** A buffer with so many bytes before its first page. */
  private static MemorySegment buffer(Arena memory, int front) {
    long bytes = 2L * PAGE + Negotiation.LARGEST_TRANSFER;
    return memory.allocate(bytes, PAGE).asSlice(PAGE - front);
  }

  private boolean isPassing(long failure) {
    if (failure == -Errno.EINTR.number()
        || failure == -Errno.EAGAIN.number()
        || failure == -Errno.ENOENT.number()) { // the request was taken back
      return true;
    }
    if (failure != 0 && failure != -Errno.ENODEV.number()) {
      log.accept("cannot read requests any more: errno " + -failure);
    }
    return false;
  }

  /** Whether there may be more requests. */
  private boolean serve(long bytes) {
    if (!request.arrived(bytes)) {
      log.accept("a request of %s bytes does not say so in its header".formatted(bytes));
      return false;
    }
    Opcode opcode = request.opcode();
    if (opcode == null || !MAY_WAIT.contains(opcode)) {
      return answer(port, request, reply, notice);
    }
    if (!dispatcher.waiting().tryAcquire()) {
      answerElsewhere(bytes);
      return true;
    }
    try {
      return answer(port, request, reply, notice);
    } finally {
      dispatcher.waiting().release();
    }
  }

  /**
   * Leaves a request to a thread of its own: other mounts may have to give something back before it
   * can be answered, and for that they may need what waits to be read here.
   */
  private void answerElsewhere(long bytes) {
    byte[] copy = request.buffer().asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
    FuseDevice.Port to = port.forAnotherThread();
    dispatcher
        .env()
        .start(
            ThreadKind.OPERATION,
            "mount-waits-" + request.unique(),
            () -> {
              try (Arena own = Arena.ofConfined()) {
                MemorySegment memory = own.allocate(bytes, Long.BYTES);
                MemorySegment.copy(copy, 0, memory, ValueLayout.JAVA_BYTE, 0, copy.length);
                Request moved = new Request(memory);
                if (moved.arrived(bytes)) {
                  Reply made = new Reply(own.allocate(PAGE, Long.BYTES));
                  answer(to, moved, made, own.allocate(NOTICE_BYTES, Long.BYTES));
                }
              }
            });
  }

  /** Whether there may be more requests. */
  private boolean answer(
      FuseDevice.Port to, Request asked, Reply answer, MemorySegment noticeMemory) {
    long unique = asked.unique();
    answer.clear();
    long length;
    try {
      Origin origin = new Origin(to, asked.node(), unique);
      var outcome = dispatcher.dispatch(asked, answer, step -> answerLater(origin, step));
      if (outcome != Dispatcher.Outcome.SEND) {
        return true;
      }
      length = answer.succeed(unique);
      if (FRESH.contains(asked.opcode())) {
        attributesAreOld(to, noticeMemory, asked.node());
      }
    } catch (IOException | RuntimeException e) {
      length = answer.fail(errno(asked, e), unique);
    }
    long written = send(to, answer.buffer(), length);
    dispatcher.answered(asked);
    if (asked.opcode() == Opcode.INIT) {
      ready.run();
    }
    return written != -Errno.ENODEV.number();
  }

  /**
   * Has the kernel ask for the size of a file that is being opened or locked: another mount may
   * have written. It is told before the answer, so that nobody uses the old one.
   */
  private void attributesAreOld(FuseDevice.Port to, MemorySegment memory, long node) {
    Reply message = new Reply(memory);
    message.clear();
    int at = message.add(Structs.InvalInode.BYTES);
    message.put8(at + Structs.InvalInode.NODE, node);
    message.put8(at + Structs.InvalInode.POSITION, -1);
    send(to, memory, message.notice(Structs.InvalInode.CODE));
  }

  /** Where a request came from that is answered later, and which. */
  private record Origin(FuseDevice.Port port, long node, long unique) {}

  /** On another thread: memory of its own. */
  private void answerLater(Origin origin, LockCalls.Step step) {
    try (Arena own = Arena.ofConfined()) {
      Reply answer = new Reply(own.allocate(Structs.Out.BYTES, Long.BYTES));
      answer.clear();
      FuseDevice.Port to = origin.port.forAnotherThread();
      long length;
      try {
        step.run();
        length = answer.succeed(origin.unique);
        attributesAreOld(to, own.allocate(NOTICE_BYTES, Long.BYTES), origin.node);
      } catch (IOException | RuntimeException e) {
        length = answer.fail(Errors.of(e).number(), origin.unique);
      }
      send(to, answer.buffer(), length);
    }
  }

  private long send(FuseDevice.Port to, MemorySegment buffer, long length) {
    long written = to.write(buffer, length);
    boolean gone = written == -Errno.ENOENT.number() || written == -Errno.ENODEV.number();
    if (written < 0 && !gone) {
      log.accept("the kernel does not take an answer: errno " + -written);
    }
    return written;
  }

  private int errno(Request failed, Exception e) {
    if (Errors.isTrouble(e)) {
      Opcode opcode = failed.opcode();
      log.accept("%s of file %s: %s".formatted(opcode, Served.id(failed), e));
    }
    return Errors.of(e).number();
  }
}
