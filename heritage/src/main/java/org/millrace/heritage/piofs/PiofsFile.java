package org.millrace.heritage.piofs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.millrace.access.View;
import org.millrace.client.Agreement;
import org.millrace.client.Buffers;
import org.millrace.client.FileAccess;
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
 * does closing in mode collective while others do something else. A subfile ends behind the last
 * byte that its cells have, as Vesta's: there reads are short.
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

  /** Bytes of the task's subfile: where reads of it end. */
  public long bytes() throws IOException {
    return file.endPosition();
  }

  /** Where the next access goes, in bytes of the subfile. */
  public long position() throws IOException {
    return file.position();
  }

  /** Reads at the task's or the shared pointer; in mode coordinated all tasks together. */
  public long read(MemorySegment into) throws IOException {
    checkIndividual();
    MemorySegment memory = Buffers.of(into);
    return mode == PiofsMode.COORDINATED ? readTogether(memory) : file.read(memory);
  }

  /**
   * All tasks read in one plan. Accesses of all end where the file does, so each task asks for what
   * its subfile has; what lies behind holes that end the file is the task's own affair.
   */
  private long readTogether(MemorySegment into) throws IOException {
    long position = file.position();
    FileAccess all = file.at(position).all();
    long count;
    try {
      count = Math.clamp(file.endPosition() - position, 0, into.byteSize());
    } catch (IOException e) { // comes all the same, or the others would wait for this task
      all.refusing(new IllegalStateException(e.getMessage(), e)).read(Memory.of(into));
      throw e;
    }
    long read = all.read(Memory.of(into.asSlice(0, count)));
    if (read < count) {
      read += file.at(position + read).read(into.asSlice(read, count - read));
    }
    file.seek(position + read);
    return read;
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(byte[] into) throws IOException {
    return read(Buffers.of(into));
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(int[] into) throws IOException {
    return read(Buffers.of(into));
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(double[] into) throws IOException {
    return read(Buffers.of(into));
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(ByteBuffer into) throws IOException {
    return read(Buffers.of(into));
  }

  /** Writes at the task's or the shared pointer; in mode coordinated all tasks together. */
  public long write(MemorySegment from) throws IOException {
    checkIndividual();
    MemorySegment memory = Buffers.of(from);
    return mode == PiofsMode.COORDINATED ? file.all().write(Memory.of(memory)) : file.write(memory);
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(byte[] from) throws IOException {
    return write(Buffers.of(from));
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(int[] from) throws IOException {
    return write(Buffers.of(from));
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(double[] from) throws IOException {
    return write(Buffers.of(from));
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(ByteBuffer from) throws IOException {
    return write(Buffers.of(from));
  }

  /** {@code read_broadcast}: one read, and all tasks get it. All must give the same size. */
  public long readBroadcast(MemorySegment into) throws IOException {
    return file.read(enter(Call.READ_BROADCAST, into, false));
  }

  /** As {@link #readBroadcast(MemorySegment)}. */
  public long readBroadcast(byte[] into) throws IOException {
    return readBroadcast(Buffers.of(into));
  }

  /** As {@link #readBroadcast(MemorySegment)}. */
  public long readBroadcast(int[] into) throws IOException {
    return readBroadcast(Buffers.of(into));
  }

  /** As {@link #readBroadcast(MemorySegment)}. */
  public long readBroadcast(double[] into) throws IOException {
    return readBroadcast(Buffers.of(into));
  }

  /** As {@link #readBroadcast(MemorySegment)}. */
  public long readBroadcast(ByteBuffer into) throws IOException {
    return readBroadcast(Buffers.of(into));
  }

  /**
   * {@code write_reduce}: the same data of all tasks is written once. The text does not say what
   * holds if the data differ; here task 0's is written, as in Vesta's mode D, and the others' is
   * not looked at. All must give the same size.
   */
  public long writeReduce(MemorySegment from) throws IOException {
    return file.write(enter(Call.WRITE_REDUCE, from, true));
  }

  /** As {@link #writeReduce(MemorySegment)}. */
  public long writeReduce(byte[] from) throws IOException {
    return writeReduce(Buffers.of(from));
  }

  /** As {@link #writeReduce(MemorySegment)}. */
  public long writeReduce(int[] from) throws IOException {
    return writeReduce(Buffers.of(from));
  }

  /** As {@link #writeReduce(MemorySegment)}. */
  public long writeReduce(double[] from) throws IOException {
    return writeReduce(Buffers.of(from));
  }

  /** As {@link #writeReduce(MemorySegment)}. */
  public long writeReduce(ByteBuffer from) throws IOException {
    return writeReduce(Buffers.of(from));
  }

  /**
   * {@code read_scatter}: each task gets the next piece, in order of tasks.
   *
   * @throws PiofsException on all tasks, if sizes differ; nothing has moved
   */
  public long readScatter(MemorySegment into) throws IOException {
    return file.read(enter(Call.READ_SCATTER, into, false));
  }

  /** As {@link #readScatter(MemorySegment)}. */
  public long readScatter(byte[] into) throws IOException {
    return readScatter(Buffers.of(into));
  }

  /** As {@link #readScatter(MemorySegment)}. */
  public long readScatter(int[] into) throws IOException {
    return readScatter(Buffers.of(into));
  }

  /** As {@link #readScatter(MemorySegment)}. */
  public long readScatter(double[] into) throws IOException {
    return readScatter(Buffers.of(into));
  }

  /** As {@link #readScatter(MemorySegment)}. */
  public long readScatter(ByteBuffer into) throws IOException {
    return readScatter(Buffers.of(into));
  }

  /**
   * {@code write_gather}: the tasks' pieces are written one after the other, in order of tasks.
   *
   * @throws PiofsException on all tasks, if sizes differ; nothing has moved
   */
  public long writeGather(MemorySegment from) throws IOException {
    return file.write(enter(Call.WRITE_GATHER, from, true));
  }

  /** As {@link #writeGather(MemorySegment)}. */
  public long writeGather(byte[] from) throws IOException {
    return writeGather(Buffers.of(from));
  }

  /** As {@link #writeGather(MemorySegment)}. */
  public long writeGather(int[] from) throws IOException {
    return writeGather(Buffers.of(from));
  }

  /** As {@link #writeGather(MemorySegment)}. */
  public long writeGather(double[] from) throws IOException {
    return writeGather(Buffers.of(from));
  }

  /** As {@link #writeGather(MemorySegment)}. */
  public long writeGather(ByteBuffer from) throws IOException {
    return writeGather(Buffers.of(from));
  }

  private void checkIndividual() {
    if (mode == PiofsMode.COLLECTIVE) {
      throw new IllegalStateException("a plain access in mode COLLECTIVE");
    }
  }

  /** Begins a collective operation; the pointer stays where it is when the core's mode changes. */
  private MemorySegment enter(Call call, MemorySegment given, boolean write) throws IOException {
    MemorySegment memory = Buffers.of(given);
    if (mode != PiofsMode.COLLECTIVE) {
      throw new IllegalStateException("a collective operation in mode " + mode);
    }
    if (file.isClosed()) {
      return memory; // the access says so, and nobody else comes
    }
    meet(
        call,
        (write ? Memory.of(memory).isFitForWrite() : Memory.of(memory).isFitForRead())
            ? memory.byteSize()
            : UNFIT);
    if (file.mode() != call.mode) {
      file.setMode(call.mode);
    }
    return memory;
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
