package org.millrace.heritage.passion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.array.ElementType;
import org.millrace.array.Local;
import org.millrace.array.Partitions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.heritage.testing.Programs;
import org.millrace.plan.DomainTable;

/** The three placement models, the tables of the extended method, prefetching and reuse. */
final class ModelsTest {

  private static final Shape SHAPE = Shape.columnMajor(12, 10);

  @TempDir private Path directory;

  private static Distribution rows(int ranks, Spread spread) {
    return Distribution.of(SHAPE, Grid.of(ranks, 1), spread, Spread.none());
  }

  /** Element (i, j), from 1 on, is 100i + j. */
  private static int[] model() {
    int[] all = new int[120];
    for (int j = 1; j <= 10; j++) {
      for (int i = 1; i <= 12; i++) {
        all[i - 1 + (j - 1) * 12] = 100 * i + j;
      }
    }
    return all;
  }

  private static void fill(Rank rank, String path) throws IOException {
    try (GlobalArrayFile file =
        new Passion(rank).createGlobalArrayFile(path, SHAPE, ElementType.INT32)) {
      boolean first = rank.number() == 0;
      file.writeSection(first ? "1:12,1:10" : "1:0,1:0", Local.of(model(), SHAPE));
    }
  }

  @Test
  void localArrayFilesAreFilledComputedOnAndStoredByAnotherNumberOfProcessors() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          fill(rank, "gaf");
          Passion passion = new Passion(rank);
          Distribution cyclic = rows(3, Spread.cyclic());
          try (GlobalArrayFile global = passion.openGlobalArrayFile("gaf");
              LocalArrayFile local =
                  passion.createLocalArrayFiles("laf", cyclic, ElementType.INT32)) {
            local.load(global, 64);
            assertThat(local.shape()).isEqualTo(Shape.columnMajor(4, 10));
            assertThat(local.distribution()).isEqualTo(cyclic);
            int[] row = new int[10]; // local row 2 is global row 4 + p
            local.prefetch("2:2,1:10");
            local.readSection("2:2,1:10", Local.of(row, Shape.rowMajor(1, 10)));
            for (int j = 1; j <= 10; j++) {
              assertThat(row[j - 1]).isEqualTo(100 * (4 + rank.number()) + j);
            }
            local
                .inCoreLocalArray(144) // three times three columns of four ints
                .update(
                    (_, part) -> {
                      for (long at = 0; at < part.shape().bytes(4); at += 4) {
                        int value = part.segment().get(ValueLayout.JAVA_INT, at);
                        part.segment().set(ValueLayout.JAVA_INT, at, -value);
                      }
                    });
            local.writeSection("1:1,1:1", Local.of(new int[] {7}, Shape.rowMajor(1, 1)));
            local.store(global, 100);
          }
        });
    int[] wanted = Arrays.stream(model()).map(value -> -value).toArray();
    Arrays.fill(wanted, 0, 3, 7);
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Passion passion = new Passion(rank);
          assertThatThrownBy(() -> passion.openLocalArrayFiles("laf", rows(2, Spread.cyclic())))
              .isInstanceOf(MillraceException.class);
          try (GlobalArrayFile global = passion.openGlobalArrayFile("gaf")) {
            int[] found = new int[120];
            global.readSection("1:12,1:10", Local.of(found, SHAPE));
            assertThat(found).isEqualTo(wanted);
          }
        });
  }

  @Test
  void partitionsAreInCoreProblems() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          fill(rank, "pim");
          try (GlobalArrayFile file = new Passion(rank).openGlobalArrayFile("pim")) {
            Partitions partitions = file.partitions(300); // both together three times four columns
            assertThat(partitions.count()).isEqualTo(3);
            partitions.update(
                (_, _, mine) -> {
                  for (long at = 0; at < mine.shape().bytes(4); at += 4) {
                    int value = mine.segment().get(ValueLayout.JAVA_INT, at);
                    mine.segment().set(ValueLayout.JAVA_INT, at, 2 * value);
                  }
                });
            int[] found = new int[120];
            file.readSection("1:12,1:10", Local.of(found, SHAPE));
            assertThat(found).isEqualTo(Arrays.stream(model()).map(value -> 2 * value).toArray());
          }
        });
  }

  @Test
  void inCoreArraysMoveWholeInTwoPhasesByEveryDistribution() throws IOException {
    Programs.run(
        directory,
        4,
        2,
        rank -> {
          fill(rank, "two");
          List<Distribution> all = new ArrayList<>();
          for (Spread spread : List.of(Spread.block(), Spread.cyclic(), Spread.blockCyclic(3))) {
            all.add(rows(4, spread));
            all.add(Distribution.of(SHAPE, Grid.of(1, 4), Spread.none(), spread));
            all.add(Distribution.of(SHAPE, Grid.of(2, 2), spread, spread));
          }
          try (GlobalArrayFile file = new Passion(rank).openGlobalArrayFile("two")) {
            for (Distribution distribution : all) {
              Shape local = distribution.localShape(rank.number());
              int[] mine = new int[(int) local.elements()];
              file.readArray(distribution, Local.of(mine, local));
              for (int k = 0; k < mine.length; k++) {
                long[] index = distribution.global(rank.number(), local.index(k));
                assertThat(mine[k]).isEqualTo((int) (100 * (index[0] + 1) + index[1] + 1));
              }
              file.writeArray(distribution, Local.of(mine, local));
            }
            int[] found = new int[120];
            file.readDirectly("1:12,1:10", Local.of(found, SHAPE));
            assertThat(found).isEqualTo(model());
          }
        });
  }

  @Test
  void prefetchedSectionsAreNotReadAgainAndWindowsReuseWhatTheyHave() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          fill(rank, "ahead");
          try (GlobalArrayFile file = new Passion(rank).openGlobalArrayFile("ahead")) {
            file.prefetch("1:12,3:4");
            int[] two = new int[24];
            file.readSection("1:12,3:4", Local.of(two, Shape.columnMajor(12, 2)));
            assertThat(two).isEqualTo(Arrays.copyOfRange(model(), 24, 48));
            assertThat(file.array().prefetchHits()).isEqualTo(1);
            try (var window = file.reuse()) {
              window.next(Sections.parse("1:12,1:4"), Sections.parse("1:12,3:6"));
              Local next = window.next(Sections.parse("1:12,3:6"));
              assertThat(window.bytesReused()).isEqualTo(12 * 2 * 4);
              assertThat(next.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(103);
            }
            // one processor alone, the others need not call
            if (rank.number() == 1) {
              file.writeDirectly("12:12,10:10", Local.of(new int[] {5}, Shape.rowMajor(1, 1)));
            }
          }
        });
  }

  @Test
  void domainsDescriptorsAndTablesAreThoseOfThePaper() throws IOException {
    FileDomains domains = new FileDomains(Shape.columnMajor(8, 10), 4);
    assertThat(domains.domain(0)).containsExactly(Sections.parse("1:8,1:3"));
    assertThat(domains.domain(3)).containsExactly(Sections.parse("1:8,9:10"));
    assertThat(new FileDomains(Shape.rowMajor(8, 10), 4).domain(1))
        .containsExactly(Sections.parse("3:4,1:10"));
    assertThat(new FileDomains(Shape.columnMajor(8, 2), 4).domain(3)).isEmpty();
    // figure 7 (B): sub-columns, of which processors 1 and 3 have nothing in their domains
    List<Section> descriptor =
        List.of(
            Sections.parse("1:4,1:2"),
            Sections.parse("5:8:2,1:2"),
            Sections.parse("1:4,7:9"),
            Sections.parse("5:8,7:9"));
    DomainTable table = domains.accessTables(descriptor, 0).getFirst();
    assertThat(table.rows().subList(2, 4)).allMatch(Section::isEmpty);
    assertThat(table.rows().get(1)).isEqualTo(Sections.parse("5:7:2,1:2"));
    assertThat(table.covering()).isEqualTo(Sections.parse("1:7,1:2"));
    assertThat(domains.accessTables(descriptor, 1).getFirst().covering().isEmpty()).isTrue();
    assertThatThrownBy(() -> new FileDomains(SHAPE, 0)).hasMessageContaining("0 processors");
    Programs.run(
        directory,
        4,
        1,
        rank -> {
          fill(rank, "fad");
          try (GlobalArrayFile file = new Passion(rank).openGlobalArrayFile("fad")) {
            assertThat(file.accessDescriptor(descriptor.get(rank.number()))).isEqualTo(descriptor);
            assertThatThrownBy(() -> file.domainsInTurn(-1)).hasMessageContaining("-1");
          }
        });
  }

  @Test
  void plainFilesAreArraysFromAnyByteOn() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Passion passion = new Passion(rank);
          Shape shape = Shape.rowMajor(3, 3);
          try (GlobalArrayFile file =
              passion.createPlain("plain", Shape.rowMajor(12), ElementType.UINT8)) {
            byte[] sevens = new byte[12];
            Arrays.fill(sevens, (byte) 7);
            file.writeSection("1:12", Local.of(sevens, Shape.rowMajor(12)));
          }
          try (GlobalArrayFile file = passion.openPlain("plain", shape, ElementType.UINT8, 2)) {
            byte[] column = {1, 2, 3};
            file.writeSection(
                rank.number() == 0 ? "1:3,2:2" : "1:0,1:0", Local.of(column, Shape.rowMajor(3, 1)));
          }
          try (SharedFile raw = rank.open("plain", OpenOptions.read())) {
            byte[] bytes = new byte[12];
            assertThat(raw.at(0).read(Memory.of(bytes))).isEqualTo(12);
            assertThat(bytes).containsExactly(7, 7, 7, 1, 7, 7, 2, 7, 7, 3, 7, 7);
          }
          rank.barrier();
          assertThatThrownBy(() -> passion.openPlain("plain", shape, ElementType.UINT8, 4))
              .hasMessageContaining("needs 13 bytes");
          assertThatThrownBy(() -> passion.openGlobalArrayFile("plain"))
              .hasMessageContaining("no .npy file");
          Shape mine = Shape.rowMajor(2 + rank.number());
          assertThatThrownBy(() -> passion.createPlain("plain", mine, ElementType.UINT8))
              .isInstanceOf(MixedCallException.class);
        });
  }
}
