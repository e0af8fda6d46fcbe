package org.millrace.cli.copy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.millrace.client.PinnedRange;
import org.millrace.client.SharedFile;

/**
 * Writes a local file straight from the memory of the nodes, range by range, and sums what it
 * writes while it is near. Ranges with blocks of zeros are left to the caller, because they become
 * holes; so is what follows the last whole range.
 *
 * <p>Used by one thread. Closing gives back what was requested.
 */
final class DrainInPlace implements AutoCloseable {

  // constant after construction
  private final FileChannel target;
  private final FlushAndSum trail;
  private final PinnedRanges ranges;

  /** Copies what {@code file} has now. */
  DrainInPlace(SharedFile file, FileChannel target, FlushAndSum trail) throws IOException {
    this.target = target;
    this.trail = trail;
    this.ranges = new PinnedRanges(file, false, file.size());
  }

  /** Writes the next range and adds it to {@code tally}; false if nothing was written. */
  boolean tryDrain(ByteSum tally) throws IOException {
    Optional<PinnedRanges.Lent> lent = ranges.at(tally.bytes());
    if (lent.isEmpty()) {
      return false;
    }
    List<MemorySegment> segments = lent.get().segments();
    CRC32C sum = new CRC32C();
    try (PinnedRange range = lent.get().range()) {
      if (Groups.hasZeros(segments)) {
        ranges.pause();
        return false;
      }
      target.position(range.position());
      Groups.of(segments, FileCopier.WRITE_BYTES, group -> write(group, sum));
      trail.wrote(new FileCopier.Run(range.position(), range.position() + range.length()));
      tally.add((int) sum.getValue(), range.length());
      ranges.used();
      return true;
    }
  }

  private boolean write(List<MemorySegment> group, CRC32C sum) throws IOException {
    ByteBuffer[] buffers = Groups.buffers(group);
    for (ByteBuffer one : buffers) {
      sum.update(one);
      one.flip();
    }
    ByteBuffer last = buffers[buffers.length - 1];
    while (last.hasRemaining()) {
      target.write(buffers);
    }
    return true;
  }

  @Override
  public void close() {
    ranges.close();
  }
}
