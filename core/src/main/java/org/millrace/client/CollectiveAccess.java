package org.millrace.client;

import java.io.IOException;
import java.util.Optional;
import org.millrace.client.FilePointer.Range;
import org.millrace.client.Mover.Job;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * One rank's part in a collective access through its own view, at a position or at its pointer. A
 * rank with wrong arguments takes part, too, and makes the call fail on all ranks. If it did not,
 * the others would wait, and its next call would be matched with their current one.
 */
record CollectiveAccess(OpenFile file, boolean write, Memory memory, boolean async, Job job) {

  /** Comes to the call now; the result carries it out. Without a position it is by pointer. */
  Operations.Body start(Optional<Long> position) throws IOException {
    if (position.isPresent()) {
      return together(name("AtAll"), () -> checked(position.get()), _ -> {});
    }
    String call = name("All");
    if (async) { // takes its place now, since the rank's next call may come before all ranks have
      return together(call, this::taken, _ -> {});
    }
    if (write && file.options().has(OpenFlag.APPEND)) {
      file.checkOpen();
      // where the end is each rank may ask only when all have arrived
      file.channel().meet(call + ": append", 0, "", 0);
      return together(call, this::taken, _ -> {});
    }
    return together( // the pointer moves on only when the call has succeeded
        call,
        () -> {
          file.checkAllowed(PointerKind.PRIVATE);
          return checked(file.pointer().position());
        },
        count -> file.pointer().moveTo(file.pointer().position() + count));
  }

  private String name(String where) {
    return (write ? "write" : "read") + where;
  }

  private Range taken() throws IOException {
    file.checkAllowed(PointerKind.PRIVATE);
    file.memory(write, memory, async);
    return file.pointer().take(PointerKind.PRIVATE, write, memory.length(), async, false).range();
  }

  private Range checked(long position) throws IOException {
    file.memory(write, memory, async);
    OpenFile.checkRange(position, memory.length());
    return new Range(position, memory.length());
  }

  /** Where this rank's part goes. */
  private interface Placing {
    Range place() throws IOException;
  }

  private Operations.Body together(String call, Placing placing, CollectiveCalls.Moved moved)
      throws IOException {
    file.checkOpen();
    Range range;
    try {
      range = placing.place();
    } catch (IOException e) {
      throw refused(call, e);
    } catch (RuntimeException e) {
      throw refused(call, e);
    }
    return file.collectives().start(call, job, range, memory, async, moved);
  }

  private <E extends Exception> E refused(String call, E wrong) {
    MillraceException reason =
        wrong instanceof IOException io
            ? MillraceException.wrap(ErrorCode.DISK, io)
            : new MillraceException(ErrorCode.INVALID, wrong.toString(), wrong);
    Operations.Body body = file.collectives().refuse(call, job, reason, async);
    if (async) {
      var _ = file.start(body); // ends when all have arrived
      return wrong;
    }
    try {
      body.run();
    } catch (IOException e) {
      if (e != wrong) {
        wrong.addSuppressed(e);
      }
    }
    return wrong;
  }
}
