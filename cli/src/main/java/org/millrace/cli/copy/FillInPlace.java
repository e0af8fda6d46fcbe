package org.millrace.cli.copy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.millrace.client.PinnedRange;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Reads a local file straight into the memory of the nodes, range by range, and sums what was just
 * read while it is near. Ranges with blocks of zeros are left to the caller, because they become
 * holes; so is what follows the last whole range.
 *
 * <p>Used by one thread. Closing gives back what is not written.
 */
final class FillInPlace implements AutoCloseable {

  /** Ranges that are written and of which the nodes have not said that they have them. */
  private static final int UNSETTLED = 1;

  // constant after construction
  private final FileChannel source;
  private final SharedFile file;
  private final FlushAndSum trail;
  private final WriteBehind writes;
  private final PinnedRanges ranges;

  // owned by the thread that uses it
  private final ArrayDeque<PinnedRange> unsettled = new ArrayDeque<>();

  /** Copies what {@code source} has now; {@code writes} has what is copied in the other way. */
  FillInPlace(FileChannel source, SharedFile file, FlushAndSum trail, WriteBehind writes)
      throws IOException {
    this.source = source;
    this.file = file;
    this.trail = trail;
    this.writes = writes;
    this.ranges = new PinnedRanges(file, true, source.size());
  }

  /**
   * Fills the next range and adds it to {@code tally}, behind which the source stands; false if
   * nothing was written or counted.
   */
  boolean tryFill(ByteSum tally) throws IOException {
    Optional<PinnedRanges.Lent> lent = ranges.at(tally.bytes());
    if (lent.isEmpty()) {
      settle(0); // what the caller writes now is reported behind it
      return false;
    }
    PinnedRange range = lent.get().range();
    CRC32C sum = new CRC32C();
    boolean filled = false;
    try {
      writes.finish(); // likewise
      filled = Groups.of(lent.get().segments(), FileCopier.WRITE_BYTES, group -> read(group, sum));
    } finally {
      if (!filled) {
        range.close();
      }
    }
    if (!filled) {
      source.position(range.position());
      ranges.pause();
      settle(0);
      return false;
    }
    range.commit();
    unsettled.add(range);
    tally.add((int) sum.getValue(), range.length());
    ranges.used();
    settle(UNSETTLED);
    return true;
  }

  /** False at the end of the source, or if a block of zeros is among what was read. */
  private boolean read(List<MemorySegment> group, CRC32C sum) throws IOException {
    ByteBuffer[] buffers = Groups.buffers(group);
    ByteBuffer last = buffers[buffers.length - 1];
    while (last.hasRemaining()) {
      if (source.read(buffers) < 0) {
        return false;
      }
    }
    if (Groups.hasZeros(group)) {
      return false;
    }
    for (ByteBuffer one : buffers) {
      sum.update(one.flip());
    }
    return true;
  }

  /** Waits until the nodes have all but so many of the ranges that were written. */
  private void settle(int but) throws IOException {
    while (unsettled.size() > but) {
      PinnedRange range = unsettled.remove();
      if (!range.isAccepted()) {
        ranges.pause(); // the nodes wait no longer than a while; something here is slow
        writeAgain(range);
      }
      trail.wrote(new FileCopier.Run(range.position(), range.position() + range.length()));
    }
  }

  private void writeAgain(PinnedRange range) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(range.length(), 64);
      ByteBuffer piece = memory.asByteBuffer();
      while (piece.hasRemaining()) {
        if (source.read(piece, range.position() + piece.position()) < 0) {
          throw new MillraceException(
              ErrorCode.DISK, "the source became shorter while it was read; try again");
        }
      }
      file.at(range.position()).write(memory);
    }
  }

  /** Returns when the nodes have all that was written. */
  void finish() throws IOException {
    settle(0);
  }

  @Override
  public void close() {
    unsettled.forEach(PinnedRange::close);
    ranges.close();
  }
}
