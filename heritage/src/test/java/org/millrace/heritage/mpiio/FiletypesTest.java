package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.client.Program;
import org.millrace.heritage.testing.Programs;

/** Filetypes that make an access like a broadcast, a reduction, a scatter or a vector scatter. */
final class FiletypesTest {

  private static final Datatype INT = Datatype.INT;

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 2, program);
  }

  /** A file of the ints 0, 1, 2, ... */
  private void count(int ints) throws IOException {
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "counted", Ints.CREATE)) {
            file.write(IntStream.range(0, ints).toArray(), ints, INT);
          }
        });
  }

  @Test
  void broadcastLetsAllRanksReadTheSame() throws IOException {
    count(10);
    run(
        3,
        rank -> {
          try (File file = File.open(rank, "counted", Amode.RDONLY)) {
            Datatype two = Datatype.createContiguous(2, INT);
            file.setView(0, INT, Filetypes.broadcast(20, two), Ints.NATIVE);
            int[] got = new int[4];
            assertThat(file.readAll(got, 4, INT).getCount(INT)).isEqualTo(4);
            assertThat(got).containsExactly(0, 1, 5, 6);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void reduceLetsAllRanksWriteTheSamePartAndTheLastOneStays(boolean atomic) throws IOException {
    run(
        3,
        rank -> {
          int r = rank.number();
          String name = "reduced" + atomic;
          try (File file = File.open(rank, name, Ints.CREATE)) {
            file.setView(0, INT, Filetypes.reduce(12, INT), Ints.NATIVE);
            file.setAtomicity(atomic);
            file.writeAll(new int[] {10 + r, 20 + r}, 2, INT);
          }
          assertThat(Ints.file(rank, name)).containsExactly(12, 0, 0, 22);
        });
  }

  @Test
  void scatterGivesEachRankItsPartOfEveryRowAndGathersThemAgain() throws IOException {
    count(12);
    run(
        3,
        rank -> {
          int r = rank.number();
          Datatype mine = Filetypes.scatter(3, r, 2, INT);
          int[] got = new int[4];
          try (File file = File.open(rank, "counted", Amode.RDONLY)) {
            file.setView(0, INT, mine, Ints.NATIVE);
            file.readAll(got, 4, INT);
            assertThat(got).containsExactly(2 * r, 2 * r + 1, 6 + 2 * r, 7 + 2 * r);
          }
          try (File file = File.open(rank, "gathered", Ints.CREATE)) {
            file.setView(0, INT, mine, Ints.NATIVE);
            file.writeAll(got, 4, INT);
          }
          assertThat(Ints.file(rank, "gathered")).isEqualTo(IntStream.range(0, 12).toArray());
        });
  }

  @Test
  void vectorScatterGivesEachRankPartsOfItsOwnLength() throws IOException {
    count(12);
    run(
        3,
        rank -> {
          int r = rank.number();
          long[] counts = {3, 0, 1};
          int[][] packed = {{0, 1, 2, 4, 5, 6}, {}, {3, 7}};
          int[][] placed = {{2, 3, 4, 8, 9, 10}, {}, {0, 6}};
          try (File file = File.open(rank, "counted", Amode.RDONLY)) {
            file.setView(0, INT, Filetypes.scatterv(r, counts, INT), Ints.NATIVE);
            int[] got = new int[packed[r].length];
            file.readAll(got, got.length, INT);
            assertThat(got).isEqualTo(packed[r]);
            long[] displacements = {2, 5, 0};
            Datatype type = Filetypes.scatterv(r, counts, displacements, 6, INT);
            file.setView(0, INT, type, Ints.NATIVE);
            file.readAll(got, got.length, INT);
            assertThat(got).isEqualTo(placed[r]);
          }
        });
  }

  @Test
  void wrongArgumentsAreRefusedWithTheirClass() {
    assertRefused(ErrorClass.ARG, () -> Filetypes.broadcast(3, INT));
    assertRefused(ErrorClass.ARG, () -> Filetypes.scatter(2, 2, 1, INT));
    assertRefused(ErrorClass.ARG, () -> Filetypes.scatter(2, -1, 1, INT));
    assertRefused(ErrorClass.COUNT, () -> Filetypes.scatter(2, 0, -1, INT));
    assertRefused(ErrorClass.COUNT, () -> Filetypes.scatter(2, 0, 1L << 61, INT));
    assertRefused(
        ErrorClass.COUNT, () -> Filetypes.scatterv(0, new long[] {1L << 62, 1L << 62}, INT));
    assertRefused(
        ErrorClass.ARG, () -> Filetypes.scatterv(0, new long[] {1}, new long[] {0, 1}, 4, INT));
    assertRefused(
        ErrorClass.ARG, () -> Filetypes.scatterv(0, new long[] {1}, new long[] {-1}, 4, INT));
    assertRefused(
        ErrorClass.ARG, () -> Filetypes.scatterv(0, new long[] {2}, new long[] {3}, 4, INT));
  }

  private static void assertRefused(ErrorClass errorClass, Runnable act) {
    assertThatThrownBy(act::run)
        .isInstanceOfSatisfying(
            MpiArgumentException.class,
            e -> assertThat(e.getErrorClass()).as(e.toString()).isEqualTo(errorClass));
  }
}
