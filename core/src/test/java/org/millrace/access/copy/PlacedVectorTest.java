package org.millrace.access.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.testing.Seeds;

/** Vectors split by places must name the same pairs of bytes, in the same order, as one by one. */
final class PlacedVectorTest {

  private record Pair(long offset, long place) {}

  @Test
  void smallVectorsAreSplitExactly() {
    for (int length = 1; length <= 5; length++) {
      for (int count = 1; count <= 4; count++) {
        for (int stride : new int[] {-7, 0, length, length + 3}) {
          for (Pattern places : smallPlaces(length * count + 2)) {
            for (int first = 0; first <= 2; first++) {
              check(new Places(places, 0), first, 100, length, stride, count);
            }
          }
        }
      }
    }
  }

  /**
   * All ways to lay out {@code bytes} bytes as runs of one length with one gap, both ways round.
   */
  private static List<Pattern> smallPlaces(int bytes) {
    List<Pattern> all = new ArrayList<>();
    for (int unit = 1; unit <= bytes; unit++) {
      int runs = Math.ceilDiv(bytes, unit);
      for (int gap = 0; gap <= 2; gap++) {
        long stride = (long) unit + gap;
        all.add(Pattern.loop(runs, stride, Pattern.run(unit)));
        all.add(Pattern.loop(runs, -stride, Pattern.run(unit)).shifted((runs - 1) * stride));
      }
    }
    return all;
  }

  @Test
  void combsOneAfterTheOtherGoOnWhereTheLastOneEnded() {
    for (long seed : Seeds.of(500)) {
      Random random = new Random(seed);
      int unit = 1 + random.nextInt(6);
      int inner = 1 + random.nextInt(5);
      Pattern places =
          Pattern.loop(
              40,
              100 + random.nextInt(9),
              Pattern.loop(inner, unit + random.nextInt(3), Pattern.run(unit)));
      long start = random.nextInt(10);
      PlacedVector vector = new PlacedVector();
      vector.reset(new Places(places, start));
      long index = 0;
      while (true) {
        long length = 1L + random.nextInt(9);
        long count = 1L + random.nextInt(5);
        long stride = length + random.nextInt(4);
        index += random.nextInt(3) == 0 ? random.nextInt(30) : 0; // bytes of other strands
        if (start + index + length * count > places.size()) {
          break;
        }
        List<Pair> expected = expected(places, start + index, 1000, length, stride, count);
        vector.vector(index, 1000, length, stride, count);
        assertThat(pairs(vector)).as(Seeds.replay(seed)).isEqualTo(expected);
        index += length * count;
      }
    }
  }

  private static void check(
      Places places, long first, long offset, long length, long stride, long count) {
    PlacedVector vector = new PlacedVector();
    vector.reset(places);
    vector.vector(first, offset, length, stride, count);
    assertThat(pairs(vector))
        .as("%s from %d, runs of %d by %d, %d times", places, first, length, stride, count)
        .isEqualTo(expected(places.pattern(), first, offset, length, stride, count));
  }

  private static List<Pair> expected(
      Pattern places, long first, long offset, long length, long stride, long count) {
    List<Pair> pairs = new ArrayList<>();
    for (long i = 0; i < length * count; i++) {
      long at = offset + i / length * stride + i % length;
      pairs.add(new Pair(at, places.offsetOf(first + i)));
    }
    return pairs;
  }

  private static List<Pair> pairs(PlacedVector vector) {
    List<Pair> pairs = new ArrayList<>();
    while (vector.next()) {
      for (long i = 0; i < vector.count(); i++) {
        for (long b = 0; b < vector.length(); b++) {
          pairs.add(
              new Pair(
                  vector.offset() + i * vector.stride() + b,
                  vector.place() + i * vector.placeStride() + b));
        }
      }
    }
    return pairs;
  }

  @Test
  void regularPlacesOfRegularRunsAreOneVector() {
    PlacedVector vector = new PlacedVector();
    vector.reset(new Places(Pattern.loop(1_000_000_000L, 24, Pattern.run(8)), 0));
    vector.vector(0, 0, 8, 1024, 1_000_000L);
    assertThat(vector.next()).isTrue();
    assertThat(vector.count()).isEqualTo(1_000_000L);
    assertThat(vector.next()).isFalse();
    vector.vector(0, 0, 8000, 10_000, 1);
    assertThat(vector.next()).isTrue();
    assertThat(vector.count()).as("a run holds several places").isEqualTo(1000);
  }
}
