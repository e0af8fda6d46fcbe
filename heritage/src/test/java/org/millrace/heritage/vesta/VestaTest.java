package org.millrace.heritage.vesta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/** Subfiles as files: opens, offsets, ends. */
final class VestaTest {

  private static final int BSU = 4;

  @TempDir private Path directory;

  static byte[] bytes(int length, int first) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (first + i);
    }
    return bytes;
  }

  static byte[] plain(Rank rank, String name) throws IOException {
    try (Subfile all = whole(rank, name)) {
      byte[] content = new byte[(int) all.fileBytes()];
      assertThat(all.read(content)).isEqualTo(content.length);
      return content;
    }
  }

  private static Subfile whole(Rank rank, String name) throws IOException {
    Vesta vesta = new Vesta(rank);
    int cells;
    try (Subfile any = vesta.open(name, OpenOptions.read(), new Partition(1, 1, 1, 1, 0))) {
      cells = any.cells();
    }
    return vesta.open(name, OpenOptions.read(), Partition.whole(cells));
  }

  @Test
  void subfilesOfAllRanksMakeOneFileThatOtherNumbersRead() throws IOException {
    int cells = 3; // on two nodes: cells go round
    int rows = 12;
    byte[] expected = new byte[cells * rows * BSU];
    for (long n = 0; n < 4; n++) {
      List<Long> records = PartitionTest.records(new Partition(3, 2, 1, 2, n), cells, rows);
      for (int i = 0; i < records.size() * BSU; i++) {
        expected[(int) (records.get(i / BSU) * BSU + i % BSU)] = (byte) (n * 50 + i);
      }
    }
    Programs.run(
        directory,
        4,
        2,
        rank -> {
          Partition mine = new Partition(3, 2, 1, 2, rank.number());
          int length = PartitionTest.records(mine, cells, rows).size() * BSU;
          Vesta vesta = new Vesta(rank);
          try (Subfile file = vesta.open("f", Vesta.structure(BSU, cells), mine, SpmdMode.A)) {
            assertThat(file.bsuBytes()).isEqualTo(BSU);
            assertThat(file.cells()).isEqualTo(cells);
            byte[] data = bytes(length, rank.number() * 50);
            assertThat(file.write(Arrays.copyOf(data, 5))).isEqualTo(5);
            assertThat(file.write(Arrays.copyOfRange(data, 5, length))).isEqualTo(length - 5);
            assertThat(file.offset()).isEqualTo(length);
          }
          rank.barrier();
          assertThat(plain(rank, "f")).isEqualTo(expected);
        });
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Partition column = new Partition(2, 1, 1, 3, rank.number());
          List<Long> records = PartitionTest.records(column, cells, rows);
          try (Subfile file =
              // other parameters than the file was made with mean nothing
              new Vesta(rank).open("f", Vesta.structure(64, 7), column)) {
            assertThat(file.bsuBytes()).isEqualTo(BSU);
            byte[] content = new byte[records.size() * BSU + 9];
            assertThat(file.read(content)).isEqualTo((long) records.size() * BSU);
            for (int i = 0; i < records.size() * BSU; i++) {
              assertThat(content[i])
                  .isEqualTo(expected[(int) (records.get(i / BSU) * BSU + i % BSU)]);
            }
          }
        });
  }

  @Test
  void oneProcessOpensSeveralPartitionsAtOnce() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Vesta vesta = new Vesta(rank);
          if (rank.number() == 1) {
            return; // open() waits for nobody
          }
          try (Subfile row =
                  vesta.open("f", Vesta.structure(BSU, 2), new Partition(1, 2, 2, 1, 1));
              Subfile column =
                  vesta.open("f", OpenOptions.readWrite(), new Partition(1, 1, 1, 2, 0))) {
            row.write(bytes(8, 1)); // the second row
            byte[] got = new byte[8];
            assertThat(column.read(got)).isEqualTo(8);
            assertThat(got).containsExactly(0, 0, 0, 0, 1, 2, 3, 4);
            column.write(0, bytes(4, 90));
            assertThat(plain(rank, "f"))
                .containsExactly(90, 91, 92, 93, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8);
          }
        });
  }

  @Test
  void anOffsetComesWithTheAccessAndTheOwnOneGoesOnBehindIt() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          try (Subfile file =
              new Vesta(rank).open("f", Vesta.structure(BSU, 2), Partition.whole(2))) {
            file.write(bytes(20, 0));
            byte[] three = new byte[3];
            assertThat(file.read(4, three)).isEqualTo(3);
            assertThat(three).containsExactly(4, 5, 6);
            assertThat(file.offset()).isEqualTo(7);
            assertThat(file.read(three)).isEqualTo(3);
            assertThat(three).containsExactly(7, 8, 9);
            assertThat(file.read(0, new byte[0])).isZero();
            assertThat(file.offset()).isEqualTo(10);
            assertThat(file.read(18, three)).isEqualTo(2);
            assertThat(file.read(three)).isZero();
            assertThatThrownBy(() -> file.read(-1, three)).isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> file.write(-1, three)).isInstanceOf(RuntimeException.class);
            assertThat(file.offset()).isEqualTo(20);
          }
        });
  }

  @Test
  void aSubfileEndsBehindTheLastByteThatItsCellsHave() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          Vesta vesta = new Vesta(rank);
          try (Subfile file = vesta.open("f", Vesta.structure(1, 2), Partition.whole(2))) {
            file.write(bytes(7, 0)); // rows 01 23 45 6
          }
          try (Subfile pairs = vesta.open("f", OpenOptions.read(), new Partition(2, 1, 1, 1, 0))) {
            byte[] got = new byte[8];
            assertThat(pairs.read(got)).isEqualTo(7);
            assertThat(got).containsExactly(0, 2, 1, 3, 4, 6, 5, 0);
          }
        });
  }

  @Test
  void anEmptySubfileReadsNothingAndTakesNothing() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          try (Subfile none =
              new Vesta(rank).open("f", Vesta.structure(BSU, 2), new Partition(1, 1, 2, 2, 1))) {
            assertThat(none.read(new byte[3])).isZero();
            assertThat(none.write(new byte[0])).isZero();
            assertThatThrownBy(() -> none.write(new byte[1])).isInstanceOf(RuntimeException.class);
            assertThat(none.fileBytes()).isZero();
          }
        });
  }

  @Test
  void openSharedFetchesAndAddsOneOffset() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Vesta vesta = new Vesta(rank);
          Partition left = new Partition(2, 1, 1, 2, 0);
          byte[] mine = new byte[5];
          Arrays.fill(mine, (byte) (rank.number() + 1));
          try (Subfile file = vesta.openShared("f", Vesta.structure(BSU, 2), left)) {
            for (int i = 0; i < 4; i++) {
              assertThat(file.write(mine)).isEqualTo(5);
            }
            rank.barrier();
            assertThat(file.offset()).isEqualTo(60);
            byte[] two = new byte[2];
            assertThat(file.read(3, two)).isEqualTo(2); // with an offset: the shared one stays
            assertThat(file.offset()).isEqualTo(60);
            rank.barrier();
          }
          try (Subfile file = vesta.openShared("f", OpenOptions.read(), left)) {
            int[] counts = new int[4];
            byte[] got = new byte[5];
            while (file.read(got) == 5) {
              for (byte b : got) {
                assertThat(b).isEqualTo(got[0]); // one writer's piece whole
              }
              counts[got[0]]++;
            }
            for (int r = 1; r <= 3; r++) {
              assertThat(rank.allReduceLong(counts[r], Long::sum)).isEqualTo(4);
            }
          }
        });
  }
}
