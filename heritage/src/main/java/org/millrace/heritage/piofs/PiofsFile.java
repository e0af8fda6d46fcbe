package org.millrace.heritage.piofs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.access.View;
import org.millrace.client.Agreement;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * A file that a group of tasks has open. {@code read} and {@code write} are for the modes private,
 * coordinated and shared; the four collective operations for the mode collective, where they are
 * the only ones. The wrong kind throws {@link IllegalStateException} and moves nothing.
 *
 * <p>A synchronizing access that tasks make differently (other operations, other sizes), or that
 * one has no usable memory for, fails on all of them, moves nothing and leaves the file open; so
 * does closing in mode collective while others do something else. Reads are short where the
 * subfile's order first leaves the file.
 *
 * <p>Belongs to the rank's thread. Closing makes the bytes durable; it waits for all tasks that
 * share the pointer.
 */
public final class PiofsFile implements AutoCloseable {

  /** What all tasks come to in mode collective. */
  private enum Call {
    READ_BROADCAST(Mode.GLOBAL),
    WRITE_REDUCE(Mode.GLOBAL),
    READ_SCATTER(Mode.ORDERED),
    WRITE_GATHER(Mode.ORDERED),
    CLOSE(Mode.ORDERED);

    private final Mode mode;

    Call(Mode mode) {
      this.mode = mode;
    }
  }

  private static final long UNFIT = -1; // instead of a size: memory that cannot be used

  // constant after construction
  private final Rank group;
  private final SharedFile file;
  private final PiofsMode mode;

  PiofsFile(Rank group, SharedFile file, PiofsMode mode) {
    this.group = group;
    this.file = file;
    this.mode = mode;
  }

  /** The mode it was opened in. */
  public PiofsMode mode() {
    return mode;
  }

  /** The task's subfile as a view of the plain file. */
  public View view() {
    return file.view();
  }

  /** Where the next access goes, in bytes of the subfile. */
  public long position() throws IOException {
    return file.position();
  }

  /** Reads at the task's or the shared pointer; in mode coordinated all tasks together. */
  public long read(MemorySegment into) throws IOException {
    checkIndividual();
    return mode == PiofsMode.COORDINATED ? file.all().read(Memory.of(into)) : file.read(into);
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(byte[] into) throws IOException {
    return read(MemorySegment.ofArray(into));
  }

  /** Writes at the task's or the shared pointer; in mode coordinated all tasks together. */
  public long write(MemorySegment from) throws IOException {
    checkIndividual();
    return mode == PiofsMode.COORDINATED ? file.all().write(Memory.of(from)) : file.write(from);
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(byte[] from) throws IOException {
    return write(MemorySegment.ofArray(from));
  }

  /** {@code read_broadcast}: one read, and all tasks get it. All must give the same size. */
  public long readBroadcast(MemorySegment into) throws IOException {
    enter(Call.READ_BROADCAST, into, false);
    return file.read(into);
  }

  /** As {@link #readBroadcast(MemorySegment)}. */
  public long readBroadcast(byte[] into) throws IOException {
    return readBroadcast(MemorySegment.ofArray(into));
  }

  /**
   * {@code write_reduce}: the same data of all tasks is written once. The text does not say what
   * holds if the data differ; here task 0's is written, as in Vesta's mode D, and the others' is
   * not looked at. All must give the same size.
   */
  public long writeReduce(MemorySegment from) throws IOException {
    enter(Call.WRITE_REDUCE, from, true);
    return file.write(from);
  }

  /** As {@link #writeReduce(MemorySegment)}. */
  public long writeReduce(byte[] from) throws IOException {
    return writeReduce(MemorySegment.ofArray(from));
  }

  /**
   * {@code read_scatter}: each task gets the next piece, in order of tasks.
   *
   * @throws PiofsException on all tasks, if sizes differ; nothing has moved
   */
  public long readScatter(MemorySegment into) throws IOException {
    enter(Call.READ_SCATTER, into, false);
    return file.read(into);
  }

  /** As {@link #readScatter(MemorySegment)}. */
  public long readScatter(byte[] into) throws IOException {
    return readScatter(MemorySegment.ofArray(into));
  }

  /**
   * {@code write_gather}: the tasks' pieces are written one after the other, in order of tasks.
   *
   * @throws PiofsException on all tasks, if sizes differ; nothing has moved
   */
  public long writeGather(MemorySegment from) throws IOException {
    enter(Call.WRITE_GATHER, from, true);
    return file.write(from);
  }

  /** As {@link #writeGather(MemorySegment)}. */
  public long writeGather(byte[] from) throws IOException {
    return writeGather(MemorySegment.ofArray(from));
  }

  private void checkIndividual() {
    if (mode == PiofsMode.COLLECTIVE) {
      throw new IllegalStateException("a plain access in mode COLLECTIVE");
    }
  }

  /** Begins a collective operation; the pointer stays where it is when the core's mode changes. */
  private void enter(Call call, MemorySegment memory, boolean write) throws IOException {
    if (mode != PiofsMode.COLLECTIVE) {
      throw new IllegalStateException("a collective operation in mode " + mode);
    }
    if (file.isClosed()) {
      return; // the access says so, and nobody else comes
    }
    meet(
        call,
        (write ? Memory.of(memory).isFitForWrite() : Memory.of(memory).isFitForRead())
            ? memory.byteSize()
            : UNFIT);
    if (file.mode() != call.mode) {
      file.setMode(call.mode);
    }
  }

  /**
   * All tasks tell what they came for and how much memory they have, and judge it alike. Whatever
   * the call does then, it begins here, so that different ones cannot miss each other.
   */
  private void meet(Call mine, long bytes) throws IOException {
    Agreement call = Agreement.on(mine.name(), bytes);
    switch (group.agree(bytes == UNFIT ? call.refusing(0, "memory that cannot be used") : call)) {
      case Agreement.Different mixed when !mixed.sameCall() || mine.mode == Mode.GLOBAL ->
          mixed.orThrow();
      case Agreement.Outcome other -> other.orElseThrow(PiofsException::new);
    }
  }

  /** Makes what was written durable and closes. */
  @Override
  public void close() throws IOException {
    if (mode == PiofsMode.COLLECTIVE && !file.isClosed()) {
      meet(Call.CLOSE, 0);
    }
    file.close();
  }
}
