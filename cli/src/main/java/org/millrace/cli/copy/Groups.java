package org.millrace.cli.copy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Divides segments into groups that one call reads or writes. Stateless. */
final class Groups {

  private Groups() {}

  /** What is done with a group. */
  interface Taker {
    /** Parts of segments, one behind the other; false to end. */
    boolean take(List<MemorySegment> group) throws IOException;
  }

  /** Gives all bytes in groups of at most {@code max}; false if the taker ended it. */
  static boolean of(List<MemorySegment> segments, long max, Taker taker) throws IOException {
    List<MemorySegment> group = new ArrayList<>();
    long bytes = 0;
    for (MemorySegment segment : segments) {
      for (long from = 0; from < segment.byteSize(); ) {
        long part = Math.min(segment.byteSize() - from, max - bytes);
        group.add(segment.asSlice(from, part));
        bytes += part;
        from += part;
        if (bytes == max) {
          if (!taker.take(group)) {
            return false;
          }
          group.clear();
          bytes = 0;
        }
      }
    }
    return group.isEmpty() || taker.take(group);
  }

  static ByteBuffer[] buffers(List<MemorySegment> group) {
    return group.stream().map(MemorySegment::asByteBuffer).toArray(ByteBuffer[]::new);
  }

  /** Whether a block of zeros, which is left out of files, is among these bytes. */
  static boolean hasZeros(List<MemorySegment> segments) {
    for (MemorySegment segment : segments) {
      for (long at = 0; at < segment.byteSize(); at += ByteSum.BLOCK_BYTES) {
        if (ByteSum.isZero(segment, at, Math.min(segment.byteSize(), at + ByteSum.BLOCK_BYTES))) {
          return true;
        }
      }
    }
    return false;
  }
}
