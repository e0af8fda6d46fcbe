package org.millrace.heritage.bridge;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.BufferAccess;
import org.millrace.client.Buffers;
import org.millrace.client.Memory;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * A file that a job has open. Its controller alone says what happens: {@link #read}, {@link #write}
 * or {@link #close}; the others answer with {@link #transfer} and move what the controller asked
 * for. Each operation moves the next blocks of the file, one to or from each process in order of
 * their numbers, and waits for all processes.
 *
 * <p>At the end of the file the counts of the processes tell who got what: a block may be cut, and
 * the processes after it get nothing. Writes are of whole blocks, or, to end a file, of as much as
 * each process's memory has; only the last process that gives anything may give less than a block.
 *
 * <p>What cannot be done by all is done by none: memory without room for a block or that cannot be
 * used (read-only for a read, of a closed arena), or a process that closes while the controller
 * moves data, let the operation fail with {@link BridgeException} on all processes; the file stays
 * open. To call what is another's to call is an {@link IllegalStateException} of that process; the
 * others go on waiting for it.
 *
 * <p>Belongs to the rank's thread. Closing waits for all processes.
 */
public final class Job implements BufferAccess, AutoCloseable {

  /** What a process comes to a meeting with. */
  private enum Call {
    READ,
    WRITE,
    TRANSFER,
    CLOSE
  }

  /**
   * What a process tells the others: all that any of them needs to judge the operation, so that all
   * judge alike. A number on the way:
   *
   * <pre>
   *   bytes of its memory (60 bits) | fit for write | fit for read | call (2 bits)
   * </pre>
   */
  @SuppressWarnings("EnumOrdinal") // numbers for a moment, between processes of one program
  private record Told(Call call, boolean fitForRead, boolean fitForWrite, long bytes) {

    private static final int CALL_BITS = 2;
    private static final long FIT_FOR_READ = 1L << CALL_BITS;
    private static final long FIT_FOR_WRITE = FIT_FOR_READ << 1;
    private static final int BYTES_SHIFT = CALL_BITS + 2;

    static Told of(Call call, MemorySegment segment) {
      Memory memory = Memory.of(segment);
      return new Told(call, memory.isFitForRead(), memory.isFitForWrite(), memory.length());
    }

    static Told of(long number) {
      return new Told(
          Call.values()[(int) (number & (1 << CALL_BITS) - 1)],
          (number & FIT_FOR_READ) != 0,
          (number & FIT_FOR_WRITE) != 0,
          number >>> BYTES_SHIFT);
    }

    long number() {
      return bytes << BYTES_SHIFT
          | (fitForWrite ? FIT_FOR_WRITE : 0)
          | (fitForRead ? FIT_FOR_READ : 0)
          | call.ordinal();
    }
  }

  // constant after construction
  private final Rank group;
  private final SharedFile file;
  private final int controller;

  Job(Rank group, SharedFile file, int controller) {
    this.group = group;
    this.file = file;
    this.controller = controller;
  }

  /** The number of the process that is the job controller. */
  public int controller() {
    return controller;
  }

  /** Whether this process is the job controller. */
  public boolean isController() {
    return group.number() == controller;
  }

  /** Bytes of a block. */
  public long blockBytes() {
    return file.layout().stripeUnitBytes();
  }

  /** The blocks that come to a process if the job reads the file from its begin, as a view. */
  public View view(int process) {
    return new View(
        process * blockBytes(),
        Pattern.run(blockBytes()),
        Math.multiplyExact(blockBytes(), (long) group.size()));
  }

  /** Reads a block for each process; the controller's own comes here. Returns its bytes. */
  @Override
  public long read(MemorySegment into) throws IOException {
    return command(Call.READ, into);
  }

  /** Writes a block of each process; the controller's own is this. Returns its bytes. */
  @Override
  public long write(MemorySegment from) throws IOException {
    return command(Call.WRITE, from);
  }

  /**
   * Does this process's part of the controller's next operation: its memory is filled with its
   * block, or written as its block.
   *
   * @return bytes moved; -1 if the controller closes, and then the file is closed here, too
   */
  public long transfer(MemorySegment block) throws IOException {
    if (isController()) {
      throw new IllegalStateException("the job controller reads or writes, others transfer");
    }
    return meet(Call.TRANSFER, block);
  }

  /** As {@link #transfer(MemorySegment)}. */
  public long transfer(byte[] block) throws IOException {
    return transfer(Buffers.of(block));
  }

  /** As {@link #transfer(MemorySegment)}. */
  public long transfer(int[] block) throws IOException {
    return transfer(Buffers.of(block));
  }

  /** As {@link #transfer(MemorySegment)}. */
  public long transfer(double[] block) throws IOException {
    return transfer(Buffers.of(block));
  }

  /** As {@link #transfer(MemorySegment)}. */
  public long transfer(ByteBuffer block) throws IOException {
    return transfer(Buffers.of(block));
  }

  private long command(Call call, MemorySegment memory) throws IOException {
    if (!isController()) {
      throw new IllegalStateException("only the job controller reads and writes");
    }
    return meet(call, memory);
  }

  /** All processes tell what they came for and what memory they have, and judge it alike. */
  private long meet(Call mine, MemorySegment given) throws IOException {
    MemorySegment memory = Buffers.of(given);
    List<Told> all =
        group.allGather(Told.of(mine, memory).number()).stream().map(Told::of).toList();
    Call wanted = all.get(controller).call;
    if (wanted == Call.CLOSE) {
      file.close();
      return -1;
    }
    for (int r = 0; r < all.size(); r++) {
      check(r, all.get(r), wanted == Call.WRITE);
    }
    return wanted == Call.WRITE ? write(memory, all) : file.read(memory.asSlice(0, blockBytes()));
  }

  private void check(int process, Told told, boolean write) throws BridgeException {
    if (told.call == Call.CLOSE) {
      throw new BridgeException(
          "process " + process + " closes while the job controller moves data");
    }
    if (write ? !told.fitForWrite : !told.fitForRead) {
      throw new BridgeException(
          "process %s has memory that cannot be %s"
              .formatted(process, write ? "written from" : "read into"));
    }
    if (write ? told.bytes > blockBytes() : told.bytes < blockBytes()) {
      throw new BridgeException(
          "process %s has memory of %s bytes for a block of %s"
              .formatted(process, told.bytes, blockBytes()));
    }
  }

  /** A block behind a cut one would lie where it does not belong. */
  private long write(MemorySegment memory, List<Told> all) throws IOException {
    for (int r = 1; r < all.size(); r++) {
      if (all.get(r).bytes > 0 && all.get(r - 1).bytes < blockBytes()) {
        throw new BridgeException(
            "process %s has memory of %s bytes for a block of %s, behind a cut one"
                .formatted(r, all.get(r).bytes, blockBytes()));
      }
    }
    return file.write(memory);
  }

  /**
   * Closes. A process that closes before the controller waits until that closes, too, or fails with
   * the operation that it does instead.
   */
  @Override
  public void close() throws IOException {
    if (!file.isClosed()) {
      meet(Call.CLOSE, MemorySegment.NULL);
    }
  }
}
