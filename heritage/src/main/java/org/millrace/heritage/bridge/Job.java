package org.millrace.heritage.bridge;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.View;
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
public final class Job implements AutoCloseable {

  /** What a process comes to a meeting with. */
  private enum Call {
    READ,
    WRITE,
    TRANSFER,
    CLOSE
  }

  private static final int CONTROLLER = 0;

  // what a process tells of its memory: its size, then whether it can be read into, written from
  private static final int FIT_BITS = 2;
  private static final long FIT_FOR_READ = 1;
  private static final long FIT_FOR_WRITE = 2;

  // constant after construction
  private final Rank group;
  private final SharedFile file;

  Job(Rank group, SharedFile file) {
    this.group = group;
    this.file = file;
  }

  /** Whether this process is the job controller. */
  public boolean isController() {
    return group.number() == CONTROLLER;
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
  public long read(MemorySegment into) throws IOException {
    return command(Call.READ, into);
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(byte[] into) throws IOException {
    return read(MemorySegment.ofArray(into));
  }

  /** Writes a block of each process; the controller's own is this. Returns its bytes. */
  public long write(MemorySegment from) throws IOException {
    return command(Call.WRITE, from);
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(byte[] from) throws IOException {
    return write(MemorySegment.ofArray(from));
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
    return transfer(MemorySegment.ofArray(block));
  }

  private long command(Call call, MemorySegment memory) throws IOException {
    if (!isController()) {
      throw new IllegalStateException("only the job controller reads and writes");
    }
    return meet(call, memory);
  }

  /** All processes tell what they came for and how much memory they have, and judge it alike. */
  private long meet(Call mine, MemorySegment memory) throws IOException {
    List<Call> calls =
        group.allGather(mine.name().getBytes(StandardCharsets.UTF_8)).stream()
            .map(name -> Call.valueOf(new String(name, StandardCharsets.UTF_8)))
            .toList();
    List<Long> memories = group.allGather(told(memory));
    Call wanted = calls.get(CONTROLLER);
    if (wanted == Call.CLOSE) {
      file.close();
      return -1;
    }
    if (calls.contains(Call.CLOSE)) {
      throw new BridgeException("processes close while the job controller moves data: " + calls);
    }
    boolean write = wanted == Call.WRITE;
    checkMemories(write, memories);
    return write ? file.write(memory) : file.read(memory.asSlice(0, blockBytes()));
  }

  private static long told(MemorySegment memory) {
    Memory all = Memory.of(memory);
    return memory.byteSize() << FIT_BITS
        | (all.isFitForRead() ? FIT_FOR_READ : 0)
        | (all.isFitForWrite() ? FIT_FOR_WRITE : 0);
  }

  private void checkMemories(boolean write, List<Long> memories) throws BridgeException {
    boolean ended = false;
    for (int r = 0; r < memories.size(); r++) {
      if ((memories.get(r) & (write ? FIT_FOR_WRITE : FIT_FOR_READ)) == 0) {
        throw new BridgeException(
            "process %d has memory that cannot be %s"
                .formatted(r, write ? "written from" : "read into"));
      }
      long size = memories.get(r) >> FIT_BITS;
      boolean right =
          write
              ? size <= blockBytes() && (!ended || size == 0) // a gap would move later blocks
              : size >= blockBytes();
      if (!right) {
        throw new BridgeException(
            "process %d has memory of %d bytes for a block of %d%s"
                .formatted(r, size, blockBytes(), ended ? ", behind a cut one" : ""));
      }
      ended |= size < blockBytes();
    }
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
