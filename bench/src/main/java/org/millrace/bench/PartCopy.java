package org.millrace.bench;

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
    MemorySegment memory = range.memory;
    MemorySegment file = range.file;
    if (range.write) {
      if (length == Long.BYTES) {
        words(memory, memoryAt, Long.BYTES, file, at, by, (int) howMany);
      } else if (length <= SHORT_BYTES && length % Long.BYTES == 0) {
        pieces(memory, memoryAt, length, file, at, by, (int) length, howMany);
      } else {
        for (long i = 0; i < howMany; i++) {
          MemorySegment.copy(memory, memoryAt + i * length, file, at + i * by, length);
        }
      }
    } else if (length == Long.BYTES) {
      words(file, at, by, memory, memoryAt, Long.BYTES, (int) howMany);
    } else if (length <= SHORT_BYTES && length % Long.BYTES == 0) {
      pieces(file, at, by, memory, memoryAt, length, (int) length, howMany);
    } else {
      for (long i = 0; i < howMany; i++) {
        MemorySegment.copy(file, at + i * by, memory, memoryAt + i * length, length);
      }
    }
  }

  private static void words(
      MemorySegment source,
      long sourceAt,
      long sourceBy,
      MemorySegment target,
      long targetAt,
      long targetBy,
      int howMany) {
    for (int i = 0; i < howMany; i++) {
      long word = source.get(JAVA_LONG_UNALIGNED, sourceAt + i * sourceBy);
      target.set(JAVA_LONG_UNALIGNED, targetAt + i * targetBy, word);
    }
  }

  private static void pieces(
      MemorySegment source,
      long sourceAt,
      long sourceBy,
      MemorySegment target,
      long targetAt,
      long targetBy,
      int length,
      long howMany) {
    for (long i = 0; i < howMany; i++) {
      long from = sourceAt + i * sourceBy;
      long to = targetAt + i * targetBy;
      for (int b = 0; b < length; b += Long.BYTES) {
        target.set(JAVA_LONG_UNALIGNED, to + b, source.get(JAVA_LONG_UNALIGNED, from + b));
      }
    }
  }
}
