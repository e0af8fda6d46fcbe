package org.millrace.bench.grid;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Copies what lies in a range of the file between a mapping of it and a rank's packed memory: plain
 * nested loops, written for this and nothing else. Immutable; what is copied belongs to the caller.
 */
final class PartCopy {

  /** Longer runs are worth a bulk copy. */
  private static final long SHORT_BYTES = 128;

  /**
   * All memory there is: access by address, without the bounds and the scope that a segment checks
   * each time. Only offsets of the part are added to the begin of segments that it was made for.
   */
  @SuppressWarnings("restricted")
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private final Workload.Part part;
  private final long[] count;
  private final long[] stride;

  /** Bytes of memory, and of the file from first to last byte, of one turn of each loop. */
  private final long[] size;

  private final long[] span;

  PartCopy(Workload.Part part) {
    List<Workload.Loop> loops = part.loops();
    int depth = loops.size();
    this.part = part;
    count = new long[depth];
    stride = new long[depth];
    size = new long[depth + 1];
    span = new long[depth + 1];
    size[0] = part.runBytes();
    span[0] = part.runBytes();
    for (int i = 0; i < depth; i++) {
      count[i] = loops.get(i).count();
      stride[i] = loops.get(i).stride();
      if (stride[i] < span[i]) {
        throw new IllegalArgumentException("stride " + stride[i] + " is below " + span[i]);
      }
      size[i + 1] = size[i] * count[i];
      span[i + 1] = stride[i] * (count[i] - 1) + span[i];
    }
  }

  /** The first byte of the file that is touched. */
  long first() {
    return part.offset();
  }

  /** One past the last byte of the file that is touched. */
  long end() {
    return part.offset() + span[span.length - 1];
  }

  boolean isEmpty() {
    return part.runBytes() == 0;
  }

  /**
   * Copies what lies in bytes {@code from} to before {@code to} of the file.
   *
   * @param write into the file, not out of it
   */
  void copy(MemorySegment file, MemorySegment memory, boolean write, long from, long to) {
    if (!isEmpty()) {
      copy(count.length - 1, part.offset(), 0, new Range(file, memory, write, from, to));
    }
  }

  private record Range(
      MemorySegment file, MemorySegment memory, boolean write, long from, long to) {}

  private void copy(int loop, long at, long memoryAt, Range range) {
    if (loop < 0) {
      run(at, memoryAt, range);
      return;
    }
    long by = stride[loop];
    long first = Math.max(0, Math.floorDiv(range.from - at - span[loop], by) + 1);
    long last = Math.min(count[loop] - 1, Math.floorDiv(range.to - at - 1, by));
    if (loop > 0) {
      for (long i = first; i <= last; i++) {
        copy(loop - 1, at + i * by, memoryAt + i * size[loop], range);
      }
      return;
    }
    while (first <= last && at + first * by < range.from) {
      run(at + first * by, memoryAt + first * size[0], range);
      first++;
    }
    while (last >= first && at + last * by + size[0] > range.to) {
      run(at + last * by, memoryAt + last * size[0], range);
      last--;
    }
    if (first <= last) {
      runs(at + first * by, by, memoryAt + first * size[0], last - first + 1, range);
    }
  }

  /** One run, cut to the range. */
  private void run(long at, long memoryAt, Range range) {
    long from = Math.max(at, range.from);
    long length = Math.min(at + size[0], range.to) - from;
    if (length <= 0) {
      return;
    }
    long place = memoryAt + from - at;
    if (range.write) {
      MemorySegment.copy(range.memory, place, range.file, from, length);
    } else {
      MemorySegment.copy(range.file, from, range.memory, place, length);
    }
  }

  private void runs(long at, long by, long memoryAt, long howMany, Range range) {
    long length = size[0];
    long file = range.file.address() + at;
    long memory = range.memory.address() + memoryAt;
    boolean write = range.write;
    if (length == Long.BYTES) {
      if (write) {
        spread(memory, file, by, (int) howMany);
      } else {
        gather(file, by, memory, (int) howMany);
      }
    } else if (length <= SHORT_BYTES && length % Long.BYTES == 0) {
      for (long i = 0; i < howMany; i++) {
        long from = write ? memory + i * length : file + i * by;
        long to = write ? file + i * by : memory + i * length;
        gather(from, Long.BYTES, to, (int) length / Long.BYTES);
      }
    } else {
      for (long i = 0; i < howMany; i++) {
        run(at + i * by, memoryAt + i * length, range);
      }
    }
  }

  /** Words that lie {@code by} apart, packed. */
  private static void gather(long from, long by, long to, int words) {
    for (int i = 0; i < words; i++) {
      ALL.set(JAVA_LONG_UNALIGNED, to + 8L * i, ALL.get(JAVA_LONG_UNALIGNED, from + by * i));
    }
  }

  /** The reverse. */
  private static void spread(long from, long to, long by, int words) {
    for (int i = 0; i < words; i++) {
      ALL.set(JAVA_LONG_UNALIGNED, to + by * i, ALL.get(JAVA_LONG_UNALIGNED, from + 8L * i));
    }
  }
}
