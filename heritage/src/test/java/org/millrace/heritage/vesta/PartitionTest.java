package org.millrace.heritage.vesta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.access.View;

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
}
