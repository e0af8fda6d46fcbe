package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.millrace.disk.DiskExtent;
import org.millrace.testing.Seeds;

/** In which order blocks are moved, and which of them together. */
class ScheduleTest {

  private static final int B = 4096;

  private static List<String> steps(long[] blocks, List<DiskExtent> places, int buffer) {
    Schedule schedule = Schedule.of(blocks, places, B, buffer);
    List<String> steps = new ArrayList<>();
    for (int i = 0; i < schedule.steps(); i++) {
      steps.add(schedule.first(i) + "-" + (schedule.end(i) - 1));
    }
    return steps;
  }

  private static long[] blocks(long... blocks) {
    return blocks;
  }

  private static DiskExtent at(long block, long count, long place) {
    return new DiskExtent(block * B, count * B, place * B);
  }

  @Test
  void blocksGoInTheOrderOfTheirPlaces() {
    List<DiskExtent> places = List.of(at(0, 1, 50), at(1, 1, 10), at(2, 1, 30), at(3, 1, 20));
    assertThat(steps(blocks(0, 1, 2, 3), places, 8)).containsExactly("1-1", "3-3", "2-2", "0-0");
    assertThat(steps(blocks(0, 2), places, 8)).containsExactly("2-2", "0-0");
  }

  @Test
  void aStrandThatLiesInOneStretchKeepsItsOrderInWholeBuffers() {
    List<DiskExtent> places = List.of(at(0, 100, 7));
    assertThat(steps(LongStream.range(0, 10).toArray(), places, 4))
        .containsExactly("0-3", "4-7", "8-9");
    assertThat(steps(LongStream.range(0, 3).toArray(), places, 1))
        .containsExactly("0-0", "1-1", "2-2");
  }

  @Test
  void onlyNeighboursInTheStrandAndOnTheDiskGoTogether() {
    List<DiskExtent> places = List.of(at(0, 2, 0), at(2, 2, 9), at(4, 2, 2));
    assertThat(steps(LongStream.range(0, 6).toArray(), places, 8))
        .containsExactly("0-1", "4-5", "2-3");
    assertThat(steps(blocks(0, 1, 3, 4), places, 8)).containsExactly("0-1", "4-4", "3-3");
  }

  @Test
  void blocksWithoutAPlaceComeLastInTheOrderOfTheStrand() {
    List<DiskExtent> places = List.of(at(1, 1, 9), at(4, 1, 2));
    assertThat(steps(LongStream.range(0, 6).toArray(), places, 8))
        .containsExactly("4-4", "1-1", "0-0", "2-3", "5-5");
    assertThat(steps(blocks(5, 7, 8), List.of(), 8)).containsExactly("5-5", "7-8");
  }

  @Test
  void aBlockLiesWhereItsFirstByteWithAPlaceLies() {
    List<DiskExtent> places =
        List.of(
            new DiskExtent(0, 100, 5 * B), // block 0 in two pieces
            new DiskExtent(100, B - 100, 0),
            new DiskExtent(B + 8, 8, B)); // block 1 is a hole but for some bytes
    assertThat(steps(blocks(0, 1), places, 8)).containsExactly("1-1", "0-0");
  }

  @Test
  void nothingIsNoSteps() {
    assertThat(steps(blocks(), List.of(at(0, 1, 0)), 8)).isEmpty();
  }

  @Test
  void randomStrandsAgreeWithANaiveSort() {
    for (long seed : Seeds.of(300)) {
      Random random = new Random(seed);
      int size = 1 + random.nextInt(40);
      List<Long> where = new ArrayList<>(LongStream.range(0, size).boxed().toList());
      Collections.shuffle(where, random);
      List<DiskExtent> places = new ArrayList<>();
      List<Long> wanted = new ArrayList<>();
      for (int b = 0; b < size; b++) {
        if (random.nextInt(5) > 0) {
          places.add(at(b, 1, where.get(b)));
        }
        if (random.nextInt(4) > 0) {
          wanted.add((long) b);
        }
      }
      int buffer = 1 + random.nextInt(4);
      long[] blocks = wanted.stream().mapToLong(b -> b).toArray();
      Schedule schedule = Schedule.of(blocks, places, B, buffer);
      List<Long> got = new ArrayList<>();
      for (int i = 0; i < schedule.steps(); i++) {
        assertThat(schedule.end(i) - schedule.first(i)).isBetween(1L, (long) buffer);
        LongStream.range(schedule.first(i), schedule.end(i)).forEach(got::add);
      }
      wanted.sort(Comparator.comparingLong(b -> placeOf(b, places)));
      assertThat(got).as(Seeds.replay(seed)).isEqualTo(wanted);
    }
  }

  private static long placeOf(long block, List<DiskExtent> places) {
    return places.stream()
        .filter(one -> one.position() == block * B)
        .mapToLong(DiskExtent::place)
        .findFirst()
        .orElse(Long.MAX_VALUE);
  }
}
