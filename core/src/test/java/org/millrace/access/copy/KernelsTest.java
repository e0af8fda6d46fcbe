package org.millrace.access.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/** The kernels do what a loop over single bytes does, for every kind of memory. */
class KernelsTest {

  private static final int SIZE = 2048;
  private static final Arena ARENA = Arena.ofAuto();

  private static final List<LongFunction<MemorySegment>> KINDS =
      List.of(
          ARENA::allocate,
          n -> MemorySegment.ofArray(new byte[(int) n]),
          n -> MemorySegment.ofArray(new double[(int) n / 8]),
          n -> MemorySegment.ofArray(new long[(int) n / 8]),
          n -> MemorySegment.ofArray(new float[(int) n / 4]),
          n -> MemorySegment.ofArray(new int[(int) n / 4]),
          n -> MemorySegment.ofArray(new short[(int) n / 2]));

  private static MemorySegment random(LongFunction<MemorySegment> kind, Random random) {
    byte[] bytes = new byte[SIZE];
    random.nextBytes(bytes);
    MemorySegment made = kind.apply(SIZE);
    made.copyFrom(MemorySegment.ofArray(bytes));
    return made;
  }

  private static void naive(
      byte[] source, long from, long step, byte[] target, long to, long by, long length, long n) {
    for (long i = 0; i < n; i++) {
      for (long b = 0; b < length; b++) {
        target[(int) (to + i * by + b)] = source[(int) (from + i * step + b)];
      }
    }
  }

  private static long start(long stride, long count, int slack) {
    return stride < 0 ? -stride * (count - 1) + slack : slack;
  }

  private static void check(
      MemorySegment source,
      long from,
      long step,
      MemorySegment target,
      long to,
      long by,
      long length,
      long count) {
    byte[] expected = target.toArray(ValueLayout.JAVA_BYTE);
    naive(source.toArray(ValueLayout.JAVA_BYTE), from, step, expected, to, by, length, count);
    Kernels.copy(source, from, step, target, to, by, length, count);
    byte[] got = target.toArray(ValueLayout.JAVA_BYTE);
    if (!Arrays.equals(got, expected)) {
      throw new AssertionError(
          "%d runs of %d bytes, from %d by %d to %d by %d, first wrong byte %d"
              .formatted(count, length, from, step, to, by, Arrays.mismatch(got, expected)));
    }
  }

  @Test
  void allLengthsAndStridesOfAllKindsCopyWhatBytesCopy() {
    Random random = new Random(1);
    for (LongFunction<MemorySegment> kind : KINDS) {
      MemorySegment plain = random(kind, random);
      MemorySegment outside = random(KINDS.getFirst(), random);
      for (int length = 1; length <= 33; length++) {
        long[] steps = {0, 1, length, -length, length + 7, -length - 8, 64, -40};
        for (long step : steps) {
          for (long by : new long[] {length, length + 8, -length, -length - 5, 48, 40}) {
            for (int count : new int[] {1, 2, 3, 17}) {
              long from = start(step, count, 8 * random.nextInt(3) + random.nextInt(2));
              long to = start(by, count, 8 * random.nextInt(3) + random.nextInt(2));
              check(plain, from, step, outside, to, by, length, count);
              check(outside, from, step, plain, to, by, length, count);
            }
          }
        }
      }
    }
  }

  @Test
  void heapToHeapAndNativeToNativeCopyWhatBytesCopy() {
    Random random = new Random(2);
    for (int a = 0; a < KINDS.size(); a++) {
      MemorySegment source = random(KINDS.get(a), random);
      MemorySegment target = random(KINDS.get((a * 3) % KINDS.size()), random);
      for (int length = 1; length <= 33; length++) {
        check(source, 3, length + 3, target, 8, 40, length, 20);
        check(source, 8, 40, target, 3, length + 3, length, 20);
      }
    }
  }

  @Test
  void theLaterOfOverlappingRunsWins() {
    Random random = new Random(3);
    MemorySegment source = random(KINDS.getFirst(), random);
    for (LongFunction<MemorySegment> kind : KINDS) {
      MemorySegment target = random(kind, random);
      for (int by = -8; by <= 8; by++) {
        for (int length = 1; length <= 33; length++) {
          check(source, 5, length, target, start(by, 9, 4), by, length, 9);
        }
      }
    }
  }

  @Test
  void slicesOfArraysStartWhereTheyStart() {
    Random random = new Random(4);
    MemorySegment source = random(KINDS.getFirst(), random);
    for (LongFunction<MemorySegment> kind : KINDS) {
      MemorySegment whole = random(kind, random);
      for (int skip = 0; skip < 20; skip++) {
        for (int length : new int[] {1, 2, 4, 8, 16}) {
          check(source, 0, 24, whole.asSlice(skip), 0, 16, length, 30);
          check(whole.asSlice(skip), 0, 16, source, 0, 24, length, 30);
        }
      }
    }
  }

  @Test
  void nothingOutsideTheMemoryIsTouched() {
    MemorySegment small = ARENA.allocate(64);
    MemorySegment large = ARENA.allocate(SIZE);
    for (int length = 1; length <= 33; length++) {
      int bytes = length;
      assertThatThrownBy(() -> Kernels.copy(large, 0, 40, small, 65 - bytes - 40, 40, bytes, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> Kernels.copy(small, 31, -32, large, 0, 40, bytes, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> Kernels.copy(large, 0, 8, large.asReadOnly(), 0, 16, 8, 3))
        .isInstanceOf(RuntimeException.class);
  }

  @Test
  void gridsAreTransposedAndCopiedExactly() {
    Random random = new Random(5);
    for (int length : new int[] {1, 3, 4, 8, 16, 40}) {
      for (int rows : new int[] {1, 5, 33, 70}) {
        for (int columns : new int[] {1, 7, 64}) {
          int size = rows * columns * length;
          byte[] bytes = new byte[size];
          random.nextBytes(bytes);
          byte[] expected = new byte[size];
          for (int r = 0; r < rows; r++) {
            long to = (long) r * length;
            long row = (long) rows * length;
            naive(bytes, (long) r * columns * length, length, expected, to, row, length, columns);
          }
          MemorySegment source = ARENA.allocate(size);
          source.copyFrom(MemorySegment.ofArray(bytes));
          byte[] got = new byte[size];
          Kernels.copyGrid(
              source,
              0,
              length,
              (long) columns * length,
              MemorySegment.ofArray(got),
              0,
              (long) rows * length,
              length,
              length,
              columns,
              rows);
          assertThat(got).isEqualTo(expected);
        }
      }
    }
  }
}
