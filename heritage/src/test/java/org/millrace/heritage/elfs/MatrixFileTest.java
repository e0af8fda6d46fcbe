package org.millrace.heritage.elfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.client.OpenOptions;
import org.millrace.heritage.elfs.DistributedMatrixFile.Decomposition;
import org.millrace.heritage.elfs.UnixFile.Whence;
import org.millrace.heritage.testing.Programs;

/** Matrices by row and column, against a matrix in memory. */
final class MatrixFileTest {

  private static final int ROWS = 7;
  private static final int COLUMNS = 5;

  @TempDir private Path directory;

  /** Element (i, j) is 10i + j. */
  private static double[] row(int i) {
    double[] row = new double[COLUMNS];
    Arrays.setAll(row, j -> 10 * i + j);
    return row;
  }

  private static double[] column(int j) {
    double[] column = new double[ROWS];
    Arrays.setAll(column, i -> 10 * i + j);
    return column;
  }

  @Test
  void whatIsWrittenByRowIsReadByColumnByAnyNumberOfRanks() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (MatrixFile file = MatrixFile.create(rank, "m", ROWS, COLUMNS, ElementType.FLOAT64)) {
            for (int i = rank.number(); i < ROWS; i += rank.size()) {
              assertThat(file.writeRow(i, row(i))).isEqualTo(COLUMNS * 8);
            }
          }
        });
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (MatrixFile file = MatrixFile.open(rank, "m")) {
            assertThat(file.rows()).isEqualTo(ROWS); // the file knows its size
            assertThat(file.columns()).isEqualTo(COLUMNS);
            assertThat(file.type()).isEqualTo(ElementType.FLOAT64);
            double[] found = new double[ROWS];
            for (int j = 0; j < COLUMNS; j++) {
              file.prefetchColumn(j);
              file.readColumn(j, found);
              assertThat(found).isEqualTo(column(j));
            }
            List<Long> seen = new ArrayList<>();
            file.eachRow(
                0,
                ROWS,
                (i, elements) -> {
                  assertThat(elements).isEqualTo(row((int) i));
                  seen.add(i);
                });
            assertThat(seen).hasSize(ROWS);
            assertThatThrownBy(() -> file.readRow(ROWS, new double[COLUMNS]))
                .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.readColumn(-1, found))
                .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> file.readRow(0, new double[COLUMNS - 1]))
                .isInstanceOf(IndexOutOfBoundsException.class);
          }
        });
  }

  @Test
  void asynchronousAccessOverlapsAndColumnsAreWrittenThroughMemoryOfBytes() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (MatrixFile file = MatrixFile.create(rank, "b", ROWS, COLUMNS, ElementType.INT8)) {
            byte[][] columns = new byte[COLUMNS][ROWS];
            var under = new ArrayList<CompletableFuture<Long>>();
            for (int j = rank.number(); j < COLUMNS; j += 2) {
              Arrays.fill(columns[j], (byte) (j + 1));
              under.add(file.writeColumnAsync(j, MemorySegment.ofArray(columns[j])));
            }
            under.forEach(one -> assertThat(one.join()).isEqualTo(ROWS));
            rank.barrier();
            byte[] found = new byte[COLUMNS];
            file.readRow(3, MemorySegment.ofArray(found));
            assertThat(found).containsExactly(1, 2, 3, 4, 5);
            assertThat(file.readRowAsync(6, MemorySegment.ofArray(found)).join()).isEqualTo(5);
            byte[] down = new byte[ROWS];
            file.readColumnAsync(2, MemorySegment.ofArray(down)).join();
            assertThat(down).containsOnly(3);
            rank.barrier();
            if (rank.number() == 0) {
              file.prefetchRow(1);
              file.writeRowAsync(1, MemorySegment.ofArray(new byte[] {9, 9, 9, 9, 9})).join();
              file.readRow(1, MemorySegment.ofArray(found));
              assertThat(found).containsOnly(9); // not what was read ahead
              file.writeColumn(0, MemorySegment.ofArray(new byte[ROWS]));
              file.prefetchRow(2);
              long at = file.lseek(-ROWS * COLUMNS, Whence.SEEK_END); // the elements are at the end
              file.lseek(at + 2 * COLUMNS, Whence.SEEK_SET);
              file.write(new byte[] {8});
              file.readRow(2, MemorySegment.ofArray(found));
              assertThat(found).containsExactly(8, 2, 3, 4, 5);
            }
          }
        });
  }

  @Test
  void theSizeIsFixedWhenTheFileIsMade() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          try (MatrixFile file = MatrixFile.create(rank, "f", 2, 2, ElementType.INT32)) {
            long size = file.size();
            assertThatThrownBy(() -> file.ftruncate(0))
                .isInstanceOf(UnsupportedOperationException.class);
            file.lseek(0, Whence.SEEK_END);
            assertThatThrownBy(() -> file.write(new byte[1]))
                .isInstanceOf(IndexOutOfBoundsException.class);
            MemorySegment two = MemorySegment.ofArray(new byte[2]);
            assertThatThrownBy(() -> file.pwrite(two, size - 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.pwriteAsync(two, size - 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(file.pwriteAsync(two, size - 2).join()).isEqualTo(2);
            assertThat(file.size()).isEqualTo(size);
          }
          GlobalArray.create(
                  rank, "cube", Shape.rowMajor(2, 2, 2), ElementType.INT8, OpenOptions.create())
              .close();
          assertThatThrownBy(() -> MatrixFile.open(rank, "cube")).hasMessageContaining("3 dim");
          assertThatThrownBy(() -> MatrixFile.openPlain(rank, "f", 1 << 12, 2, ElementType.INT32))
              .hasMessageContaining("needs");
        });
  }

  @ParameterizedTest
  @EnumSource(Decomposition.class)
  void matricesAreDealtOutByRowsColumnsAndBlocks(Decomposition decomposition) throws IOException {
    for (int ranks : new int[] {1, 4, 6}) {
      Programs.run(
          directory.resolve("r" + ranks),
          ranks,
          2,
          rank -> {
            try (DistributedMatrixFile file =
                DistributedMatrixFile.create(
                    rank, "d", ROWS, COLUMNS, ElementType.FLOAT64, decomposition)) {
              Shape part = file.part();
              double[] mine = new double[(int) part.elements()];
              for (int k = 0; k < mine.length; k++) {
                long[] index = file.distribution().global(rank.number(), part.index(k));
                mine[k] = 10 * index[0] + index[1];
              }
              file.writePart(Local.of(mine, part));
              double[] found = new double[COLUMNS];
              for (int i = 0; i < ROWS; i++) {
                file.readRow(i, found);
                assertThat(found).isEqualTo(row(i));
              }
            }
            try (DistributedMatrixFile file =
                DistributedMatrixFile.open(rank, "d", Decomposition.COLUMNS)) {
              double[] mine = new double[(int) file.part().elements()];
              file.readPart(Local.of(mine, file.part()));
              for (int k = 0; k < mine.length; k++) {
                long[] index = file.distribution().global(rank.number(), file.part().index(k));
                assertThat(mine[k]).isEqualTo((double) (10 * index[0] + index[1]));
              }
            }
          });
    }
  }
}
