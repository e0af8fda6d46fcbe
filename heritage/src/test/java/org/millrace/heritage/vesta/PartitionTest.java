package org.millrace.heritage.vesta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Disjointness;
import org.millrace.access.View;
import org.millrace.testing.Seeds;

/** Subfiles against the order of records that the text gives, written out as loops. */
final class PartitionTest {

  private static final int ROWS = 24;

  interface Check {
    void check(Partition partition, int cells);
  }

  private static void everySmall(Check check) {
    for (int vgs = 1; vgs <= 3; vgs++) {
      for (int vi = 1; vi <= 3; vi++) {
        for (int hgs = 1; hgs <= 3; hgs++) {
          for (int hi = 1; hi <= 3; hi++) {
            for (int cells = 1; cells <= 7; cells++) {
              check.check(new Partition(vgs, vi, hgs, hi, 0), cells);
            }
          }
        }
      }
    }
  }

  /** BSUs of a subfile by their row-major numbers, in order. */
  static List<Long> records(Partition p, int cells, int rows) {
    List<Long> records = new ArrayList<>();
    long across = p.number() % p.hi();
    long down = p.number() / p.hi();
    for (long vertical = down; vertical * p.vgs() < rows; vertical += p.vi()) {
      for (long horizontal = across; horizontal * p.hgs() < cells; horizontal += p.hi()) {
        for (long h = 0; h < p.hgs() && horizontal * p.hgs() + h < cells; h++) {
          for (long v = 0; v < p.vgs(); v++) {
            records.add((vertical * p.vgs() + v) * cells + horizontal * p.hgs() + h);
          }
        }
      }
    }
    return records;
  }

  @Test
  void everySmallSubfileHasItsRecordsInTheOrderOfTheText() {
    everySmall(
        (scheme, cells) -> {
          for (long number = 0; number < scheme.subfiles(); number++) {
            Partition partition = scheme.number(number);
            List<Long> expected = records(partition, cells, ROWS);
            for (int bsu = 1; bsu <= 3; bsu += 2) {
              View view = partition.view(bsu, cells);
              assertThat(view.isEmpty()).isEqualTo(expected.isEmpty());
              for (int i = 0; i < expected.size() * bsu; i++) {
                assertThat(view.offsetOf(i))
                    .as("byte %s of %s, %s cells", i, partition, cells)
                    .isEqualTo(expected.get(i / bsu) * bsu + i % bsu);
              }
            }
          }
        });
  }

  @Test
  void everyRecordIsInExactlyOneSubfileHoweverRagged() {
    everySmall(
        (scheme, cells) -> {
          // a multiple of every Vgs * Vi, so that no group is cut below
          int rows = (int) (scheme.vgs() * scheme.vi() * 2);
          int[] seen = new int[rows * cells];
          for (long number = 0; number < scheme.subfiles(); number++) {
            View view = scheme.number(number).view(1, cells);
            long perTile = view.isEmpty() ? 0 : records(scheme.number(number), cells, rows).size();
            for (long i = 0; i < perTile; i++) {
              seen[(int) view.offsetOf(i)]++;
            }
          }
          assertThat(seen).as("%s of %s cells", scheme, cells).containsOnly(1);
        });
  }

  @Test
  void viewsCanBeWrittenThroughAndAscendWithoutVerticalGroups() {
    everySmall(
        (scheme, cells) -> {
          for (long number = 0; number < scheme.subfiles(); number++) {
            View view = scheme.number(number).view(2, cells);
            assertThat(view.isDisjoint()).isTrue();
            assertThat(scheme.vgs() > 1 || view.isAscending()).isTrue();
          }
        });
  }

  @Test
  void theWholeFileIsOnePartition() {
    for (int cells = 1; cells < 5; cells++) {
      assertThat(Partition.whole(cells).view(8, cells)).isEqualTo(View.WHOLE);
    }
  }

  @Test
  void schemesAreComparedWithoutNumbers() {
    Partition partition = new Partition(2, 3, 1, 2, 5);
    assertThat(partition.sameScheme(partition.number(0))).isTrue();
    assertThat(partition.sameScheme(new Partition(2, 3, 1, 3, 5))).isFalse();
    assertThat(partition.subfiles()).isEqualTo(6);
  }

  @Test
  void partitionsThatAreNoneAreRefused() {
    assertThatThrownBy(() -> new Partition(0, 1, 1, 1, 0)).hasMessageContaining("Vgs 0");
    assertThatThrownBy(() -> new Partition(1, 0, 1, 1, 0)).hasMessageContaining("Vi 0");
    assertThatThrownBy(() -> new Partition(1, 1, -1, 1, 0)).hasMessageContaining("Hgs -1");
    assertThatThrownBy(() -> new Partition(1, 1, 1, 0, 0)).hasMessageContaining("Hi 0");
    assertThatThrownBy(() -> new Partition(1, 2, 1, 3, 6)).hasMessageContaining("partition 6");
    assertThatThrownBy(() -> new Partition(1, 2, 1, 3, -1)).hasMessageContaining("partition -1");
  }

  /** Legal partitions that were refused, because they have more runs than could be tried. */
  @Test
  void noSubfileShowsAByteTwiceHoweverLargeItIs() {
    for (int cells : new int[] {1, 2, 3, 4, 7, 16, 100}) {
      View view = new Partition(65536, 1, 3, 1, 0).view(1024, cells);
      assertThat(view.disjointness()).as("%s cells", cells).isEqualTo(Disjointness.DISJOINT);
    }
    for (long seed : Seeds.of(20_000)) {
      Random random = new Random(seed);
      long vi = 1L + random.nextInt(1 << random.nextInt(1, 10));
      long hi = 1L + random.nextInt(1 << random.nextInt(1, 8));
      Partition partition =
          new Partition(
              1 + random.nextInt(1 << random.nextInt(1, 18)),
              vi,
              1 + random.nextInt(1 << random.nextInt(1, 8)),
              hi,
              random.nextLong(vi * hi));
      int cells = 1 + random.nextInt(1 << random.nextInt(1, 12));
      View view = partition.view(1 + random.nextInt(1 << 16), cells);
      assertThat(view.disjointness())
          .as("%s of %d cells; %s", partition, cells, Seeds.replay(seed))
          .isEqualTo(Disjointness.DISJOINT);
    }
  }

  @Test
  void aSubfileEndsBehindTheLastByteOfItsOwnCells() {
    Random random = new Random(Seeds.of(1)[0]);
    everySmall(
        (scheme, cells) -> {
          int bsu = 1 + random.nextInt(3);
          long[] ends = random.longs(cells, 0, 13L * bsu).toArray();
          for (long number = 0; number < scheme.subfiles(); number++) {
            Partition partition = scheme.number(number);
            List<Long> records = records(partition, cells, ROWS);
            long expected = 0;
            for (int i = 0; i < records.size() * bsu; i++) {
              long record = records.get(i / bsu);
              if (record / cells * bsu + i % bsu < ends[(int) (record % cells)]) {
                expected = i + 1L;
              }
            }
            assertThat(partition.end(bsu, ends))
                .as("%s, %d cells of %s", partition, cells, Arrays.toString(ends))
                .isEqualTo(expected);
          }
        });
  }

  @Test
  void hugeNumbersAcrossTheCellsAreAsGoodAsManyOfThem() {
    for (int cells = 1; cells < 8; cells++) {
      for (long number = 0; number < cells + 2; number++) {
        View one = new Partition(1, 1, 1, Long.MAX_VALUE, number).view(4, cells);
        View same = new Partition(1, 1, 1, 100, number).view(4, cells);
        assertThat(one).as("subfile %s of %s cells", number, cells).isEqualTo(same);
      }
      assertThat(new Partition(2, 3, Long.MAX_VALUE, 5, 0).view(4, cells))
          .isEqualTo(new Partition(2, 3, cells, 5, 0).view(4, cells));
      assertThat(new Partition(2, 3, 1L << 40, 1L << 40, 1).view(4, cells).isEmpty()).isTrue();
      assertThat(new Partition(1, 1, 1L << 40, 1L << 40, 0).end(4, new long[] {4, 8}))
          .isEqualTo(16);
    }
  }
}
