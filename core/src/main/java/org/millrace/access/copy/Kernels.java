package org.millrace.access.copy;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Copies runs of equal length, equally spaced on both sides:
 *
 * <pre>
 *   source   [length]...[length]...[length]...       sourceStride apart, from sourceAt on
 *   target   [length].[length].[length].             targetStride apart, from targetAt on
 * </pre>
 *
 * Strides may be negative, and zero. Where runs of the target overlap the later one wins. Source
 * and target must not overlap. No state.
 *
 * <p>How it works: long runs are copied in bulk. Short ones are taken apart into words of 8, 4, 2
 * and 1 bytes, and each of these is copied for many runs in one tight loop, over no more runs than
 * stay in the processor's nearest cache. The loops exist once for each pair of kinds of memory
 * ({@link NativeLoops}, {@link HeapLoops}): the compiler looks at what a loop has met before, and a
 * loop that has met several kinds is ten times slower for all of them.
 */
public final class Kernels {

  /** Longer runs are worth a bulk copy each. */
  private static final int SHORT_BYTES = 32;

  /** What one side of a group of runs may span, so that it stays in cache between words. */
  private static final long CACHE_BYTES = 32 << 10;

  /** Sides of the squares in which a grid is copied whose sides run in different orders. */
  private static final long TILE = 32;

  private Kernels() {}

  /** Copies {@code count} runs of {@code length} bytes. */
  public static void copy(
      MemorySegment source,
      long sourceAt,
      long sourceStride,
      MemorySegment target,
      long targetAt,
      long targetStride,
      long length,
      long count) {
    if (count <= 0 || length == 0) {
      return;
    }
    if (count == 1 || (sourceStride == length && targetStride == length)) {
      MemorySegment.copy(source, sourceAt, target, targetAt, length * count);
    } else if (length > SHORT_BYTES || Math.abs(targetStride) < length) {
      for (long i = 0; i < count; i++) {
        MemorySegment.copy(
            source, sourceAt + i * sourceStride, target, targetAt + i * targetStride, length);
      }
    } else {
      checkSpan(sourceAt, sourceStride, length, count, source);
      checkSpan(targetAt, targetStride, length, count, target);
      shortRuns(source, sourceAt, sourceStride, target, targetAt, targetStride, length, count);
    }
  }

  private static void checkSpan(long at, long stride, long length, long count, MemorySegment in) {
    long last = at + (count - 1) * stride;
    Objects.checkFromToIndex(Math.min(at, last), Math.max(at, last) + length, in.byteSize());
  }

  /** Short runs, in groups that stay in cache if they have several words. */
  private static void shortRuns(
      MemorySegment source,
      long sourceAt,
      long sourceStride,
      MemorySegment target,
      long targetAt,
      long targetStride,
      long length,
      long count) {
    boolean oneWord = length <= Long.BYTES && Long.bitCount(length) == 1;
    long widest = Math.max(1, Math.max(Math.abs(sourceStride), Math.abs(targetStride)));
    long max = oneWord ? Integer.MAX_VALUE : Math.max(16, CACHE_BYTES / widest);
    for (long done = 0; done < count; done += max) {
      int runs = (int) Math.min(max, count - done);
      long from = sourceAt + done * sourceStride;
      long to = targetAt + done * targetStride;
      long word = 0;
      for (int bytes = Long.BYTES; bytes > 0; bytes /= 2) {
        while (length - word >= bytes) {
          words(bytes, source, from + word, sourceStride, target, to + word, targetStride, runs);
          word += bytes;
        }
      }
    }
  }

  private static void words(
      int bytes,
      MemorySegment source,
      long sourceAt,
      long sourceStride,
      MemorySegment target,
      long targetAt,
      long targetStride,
      int count) {
    if (source.isNative() && target.isNative()) {
      NativeLoops.words(
          bytes, source, sourceAt, sourceStride, target, targetAt, targetStride, count);
    } else if (!HeapLoops.tryWords(
        bytes, source, sourceAt, sourceStride, target, targetAt, targetStride, count)) {
      for (long i = 0; i < count; i++) {
        MemorySegment.copy(
            source, sourceAt + i * sourceStride, target, targetAt + i * targetStride, bytes);
      }
    }
  }

  /**
   * Copies {@code outerCount} families of {@code count} runs, each family {@code sourceOuter} and
   * {@code targetOuter} bytes behind the one before. No two runs of the target may overlap. If one
   * side's neighbours are the other side's distant runs, as in a transposition, small squares are
   * copied one after the other, so that what was fetched from memory is used before it is lost.
   */
  public static void copyGrid(
      MemorySegment source,
      long sourceAt,
      long sourceStride,
      long sourceOuter,
      MemorySegment target,
      long targetAt,
      long targetStride,
      long targetOuter,
      long length,
      long count,
      long outerCount) {
    boolean sourceInner = Math.abs(sourceStride) <= Math.abs(sourceOuter);
    boolean targetInner = Math.abs(targetStride) <= Math.abs(targetOuter);
    boolean crossed = sourceInner != targetInner && length <= SHORT_BYTES;
    long tile = crossed ? TILE : count;
    long outerTile = crossed ? TILE : outerCount;
    for (long o = 0; o < outerCount; o += outerTile) {
      long outerEnd = Math.min(outerCount, o + outerTile);
      for (long i = 0; i < count; i += tile) {
        for (long family = o; family < outerEnd; family++) {
          copy(
              source,
              sourceAt + family * sourceOuter + i * sourceStride,
              sourceStride,
              target,
              targetAt + family * targetOuter + i * targetStride,
              targetStride,
              length,
              Math.min(tile, count - i));
        }
      }
    }
  }

  /** Fills {@code count} runs of {@code length} bytes with zeros. */
  public static void zero(
      MemorySegment target, long targetAt, long targetStride, long length, long count) {
    if (targetStride == length) {
      target.asSlice(targetAt, length * count).fill((byte) 0);
    } else {
      for (long i = 0; i < count; i++) {
        target.asSlice(targetAt + i * targetStride, length).fill((byte) 0);
      }
    }
  }
}
