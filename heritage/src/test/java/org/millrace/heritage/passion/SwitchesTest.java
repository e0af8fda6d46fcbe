package org.millrace.heritage.passion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.Local;
import org.millrace.array.Partitions;
import org.millrace.array.SectionWindow;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.MillraceException;
import org.millrace.heritage.testing.Programs;

/** PASSION's switches, by what is asked of the nodes. */
final class SwitchesTest {

  private static final Shape SHAPE = Shape.columnMajor(12, 10);

  /** Six pieces of each of ten columns. */
  private static final String PIECES = "1:12:2,1:10:1";

  private static final Shape PIECES_SHAPE = Shape.columnMajor(6, 10);

  @TempDir private Path directory;

  private static GlobalArrayFile made(Rank rank) throws IOException {
    GlobalArrayFile file =
        new Passion(rank).createGlobalArrayFile("array", SHAPE, ElementType.INT32);
    int[] all = new int[120];
    for (int i = 0; i < all.length; i++) {
      all[i] = i;
    }
    boolean first = rank.number() == 0;
    Section mine = first ? Sections.parse("1:12,1:10") : Sections.nothing(2);
    file.writeSection(mine, Local.of(all, SHAPE));
    return file;
  }

  private interface Act {
    void run() throws IOException;
  }

  /** Which requests a call makes of the only node: single gets and lists. */
  private static List<Long> asked(RunningCluster cluster, Act act) throws IOException {
    Map<String, Long> before = cluster.report().getFirst();
    act.run();
    Map<String, Long> after = cluster.report().getFirst();
    List<Long> asked = new ArrayList<>();
    for (String counter : List.of("get.count", "list.count")) {
      asked.add(after.getOrDefault(counter, 0L) - before.getOrDefault(counter, 0L));
    }
    return asked;
  }

  @Test
  void withoutDataSievingTheDirectMethodAsksForEachPiece() throws IOException {
    Programs.watch(
        directory,
        1,
        1,
        ClusterOptions.DEFAULT,
        (rank, cluster) -> {
          try (GlobalArrayFile file = made(rank)) {
            int[] found = new int[60];
            Local into = Local.of(found, PIECES_SHAPE);
            assertThat(asked(cluster, () -> file.readDirectly(PIECES, into)))
                .containsExactly(0L, 1L);
            file.dataSieving(false);
            assertThat(asked(cluster, () -> file.readDirectly(PIECES, into)))
                .containsExactly(60L, 0L);
            for (int k = 0; k < found.length; k++) {
              assertThat(found[k]).isEqualTo(12 * (k / 6) + 2 * (k % 6));
            }
            file.use(Method.DIRECT);
            assertThat(asked(cluster, () -> file.readSection(PIECES, into)))
                .containsExactly(60L, 0L);
            file.dataSieving(true);
            assertThat(asked(cluster, () -> file.readSection(PIECES, into)))
                .containsExactly(0L, 1L);
          }
        });
  }

  @Test
  void aMethodHoldsForPartitionsAndWindowsThatAreThereAlready() throws IOException {
    Programs.watch(
        directory,
        1,
        1,
        ClusterOptions.DEFAULT,
        (rank, cluster) -> {
          try (GlobalArrayFile file = made(rank);
              SectionWindow window = file.reuse()) {
            Partitions partitions = file.partitions(3 * 480);
            int[] all = new int[120];
            partitions.load(0, partitions.blocks(0), Local.of(all, SHAPE));
            long plans = file.array().file().plansMade();
            partitions.load(0, partitions.blocks(0), Local.of(all, SHAPE));
            assertThat(file.array().file().plansMade()).isEqualTo(plans);
            file.use(Method.DIRECT);
            file.dataSieving(false);
            partitions.load(0, partitions.blocks(0), Local.of(all, SHAPE));
            assertThat(file.array().file().plansMade()).isEqualTo(plans + 1);
            assertThat(asked(cluster, () -> window.next(Sections.parse(PIECES))))
                .containsExactly(60L, 0L);
          }
        });
  }

  @Test
  void prefetchingIsPartOfTheCollectiveMethod() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (GlobalArrayFile file = made(rank)) {
            long plans = file.array().file().plansMade();
            String mine = "1:12:1, %d:10:3".formatted(rank.number() + 1);
            file.prefetch(mine);
            int columns = rank.number() == 0 ? 4 : 3;
            int[] found = new int[12 * columns];
            file.readSection(mine, Local.of(found, Shape.columnMajor(12, columns)));
            for (int k = 0; k < found.length; k++) {
              assertThat(found[k]).isEqualTo(12 * (rank.number() + 3 * (k / 12)) + k % 12);
            }
            assertThat(file.array().prefetchHits()).isEqualTo(1);
            // one plan of what all wanted ahead, one of a call in which nobody lacks anything
            assertThat(file.array().file().plansMade()).isEqualTo(plans + 2);
          }
        });
  }

  @Test
  void aWrongPrefetchIsToldWhereItIsWrongAndHarmsNobody() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (GlobalArrayFile file = made(rank)) {
            if (rank.number() == 1) {
              assertThatThrownBy(() -> file.prefetch("1:13:1, 1:1:1"))
                  .isInstanceOf(MillraceException.class)
                  .hasMessageContaining("index 13 of dimension 1, the array at 12");
            } else {
              file.prefetch("1:12:1, 1:1:1");
            }
            int[] found = new int[12];
            file.readSection("1:12:1, 1:1:1", Local.of(found, Shape.columnMajor(12, 1)));
            assertThat(found).startsWith(0, 1, 2).endsWith(10, 11);
          }
        });
  }

  @Test
  void errorsCountFromOneAsTheCallsDo() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (GlobalArrayFile file = made(rank)) {
            Local into = Local.of(new int[130], Shape.columnMajor(13, 10));
            String wrong = rank.number() == 1 ? "2:12:1, 1:11:1" : "1:12:1, 1:10:1";
            assertThatThrownBy(() -> file.readSection(wrong, into))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("(2:12:1, 1:11:1) ends at index 11 of dimension 2");
            assertThatThrownBy(() -> file.readDirectly("13:13:1, 1:1:1", into))
                .hasMessageContaining("ends at index 13 of dimension 1, the array at 12");
            assertThatThrownBy(() -> Sections.parse("1:5:0")).hasMessageContaining("stride 0");
            assertThatThrownBy(() -> file.readDirectly("1:5:1", into))
                .hasMessageContaining("1 dimensions, the array 2");
          }
        });
  }
}
