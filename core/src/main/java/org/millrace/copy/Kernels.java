package org.millrace.copy;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * Copies runs of equal length, equally spaced on both sides:
 *
 * <pre>
 *   source   [length]...[length]...[length]...       sourceStride apart, from sourceAt on
 *   target   [length].[length].[length].             targetStride apart, from targetAt on
 * </pre>
 *
 * Long runs are copied in bulk, runs of one machine word in tight typed loops. Strides may be
 * negative. Where runs of the target overlap the later one wins. No state.
 */
public final class Kernels {

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
    if (count == 1 || (sourceStride == length && targetStride == length)) {
      MemorySegment.copy(source, sourceAt, target, targetAt, length * count);
    } else if (length == Long.BYTES) {
      for (long i = 0; i < count; i++) {
        target.set(
            JAVA_LONG_UNALIGNED,
            targetAt + i * targetStride,
            source.get(JAVA_LONG_UNALIGNED, sourceAt + i * sourceStride));
      }
    } else if (length == Integer.BYTES) {
      for (long i = 0; i < count; i++) {
        target.set(
            JAVA_INT_UNALIGNED,
            targetAt + i * targetStride,
            source.get(JAVA_INT_UNALIGNED, sourceAt + i * sourceStride));
      }
    } else if (length == Short.BYTES) {
      for (long i = 0; i < count; i++) {
        target.set(
            JAVA_SHORT_UNALIGNED,
            targetAt + i * targetStride,
            source.get(JAVA_SHORT_UNALIGNED, sourceAt + i * sourceStride));
      }
    } else if (length == 1) {
      for (long i = 0; i < count; i++) {
        target.set(
            JAVA_BYTE,
            targetAt + i * targetStride,
            source.get(JAVA_BYTE, sourceAt + i * sourceStride));
      }
    } else {
      for (long i = 0; i < count; i++) {
        MemorySegment.copy(
            source, sourceAt + i * sourceStride, target, targetAt + i * targetStride, length);
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
