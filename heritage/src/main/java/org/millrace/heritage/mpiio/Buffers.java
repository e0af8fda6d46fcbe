package org.millrace.heritage.mpiio;

import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * What programs give as buffers: arrays of numbers, {@link java.nio} buffers from their position to
 * their limit, and segments. All are memory in the byte order of this machine; the position of a
 * buffer does not move.
 *
 * <p>Stateless.
 */
final class Buffers {

  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private Buffers() {}

  /** A buffer as memory; none is fine where nothing moves. */
  static MemorySegment segment(@Nullable Object buffer, long count) throws MpiFileException {
    return switch (buffer) {
      case null -> {
        if (count != 0) {
          throw new MpiFileException(ErrorClass.BUFFER, "there is no buffer");
        }
        yield NOTHING;
      }
      case MemorySegment segment -> segment;
      case byte[] array -> MemorySegment.ofArray(array);
      case char[] array -> MemorySegment.ofArray(array);
      case short[] array -> MemorySegment.ofArray(array);
      case int[] array -> MemorySegment.ofArray(array);
      case long[] array -> MemorySegment.ofArray(array);
      case float[] array -> MemorySegment.ofArray(array);
      case double[] array -> MemorySegment.ofArray(array);
      case Buffer nio -> MemorySegment.ofBuffer(nio);
      default ->
          throw new MpiFileException(
              ErrorClass.BUFFER,
              buffer.getClass().getSimpleName()
                  + " is no array of numbers, no java.nio buffer and no segment");
    };
  }

  /** Whether two are the same memory. */
  static boolean isSame(@Nullable Object one, @Nullable Object other) throws MpiFileException {
    return one == other || segment(one, 0).equals(segment(other, 0));
  }
}
