package org.millrace.heritage.ncube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Late;
import org.millrace.heritage.testing.Programs;

/** nCUBE's rules, one by one. */
final class NcubeRulesTest {

  @TempDir private Path directory;

  /** A matrix as a picture: in each place the number of its processing element. */
  private static List<String> picture(Mapping mapping, int rows) {
    char[] owners = new char[(int) (rows * mapping.dimX())];
    for (int p = 0; p < mapping.processors(); p++) {
      for (int i = 0; mapping.view(p).offsetOf(i) < owners.length; i++) {
        owners[(int) mapping.view(p).offsetOf(i)] = (char) ('0' + p);
      }
    }
    return new String(owners).lines().flatMap(all -> cut(all, (int) mapping.dimX())).toList();
  }

  private static Stream<String> cut(String all, int width) {
    return IntStream.range(0, all.length() / width)
        .mapToObj(i -> all.substring(i * width, (i + 1) * width));
  }

  @Test
  void theFourMappingsAreThoseOfTheFigure() {
    assertThat(picture(Mapping.row(4, 2, 2), 6))
        .containsExactly("0000", "0000", "1111", "1111", "0000", "0000");
    assertThat(picture(Mapping.column(2, 3), 2)).containsExactly("001122", "001122");
    assertThat(picture(Mapping.block(3, 1, 2, 4), 3)).containsExactly("000111", "222333", "000111");
    assertThat(picture(Mapping.scatter(1, 2, 2, 2, 4), 4))
        .containsExactly("0101", "0101", "2323", "2323");
  }

  @Test
  void withAnyNumberOfElementsTheNumberingGoesOnInTheNextRowOfBlocks() {
    assertThat(picture(Mapping.block(2, 1, 2, 3), 4))
        .containsExactly("0011", "2200", "1122", "0011");
    assertThat(picture(Mapping.scatter(1, 1, 2, 2, 5), 5))
        .containsExactly("0101", "2323", "4040", "1212", "3434");
  }

  @Test
  void theOpenWaitsForAllAndNoAccessDoes() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Ncube ncube = new Ncube(rank);
          for (boolean common : new boolean[] {false, true}) {
            String mark = "come" + common;
            Late.before(rank, 2, mark);
            NcubeFile file =
                common
                    ? ncube.openCommon("f", OpenOptions.create())
                    : ncube.open("f", OpenOptions.create(), Mapping.column(1, 3));
            assertThat(Late.hasCome(rank, mark)).isTrue();
            if (rank.number() == 1) {
              file.write(new byte[] {5});
              rank.send(0, 3, new byte[0]);
              rank.send(2, 3, new byte[0]);
            } else {
              rank.receive(1, 3);
            }
            file.close();
          }
        });
  }

  @Test
  void eachElementHasAPointerOfItsOwnWithAMapping() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (NcubeFile file =
              new Ncube(rank).open("f", OpenOptions.create(), Mapping.row(2, 1, 3))) {
            file.write(new byte[2 * (1 + rank.number())]);
            rank.barrier();
            assertThat(file.position()).isEqualTo(2L * (1 + rank.number()));
            rank.barrier();
            if (rank.number() == 0) {
              file.seek(0);
            }
            rank.barrier();
            assertThat(file.position())
                .isEqualTo(rank.number() == 0 ? 0 : 2L * (1 + rank.number()));
          }
        });
  }

  /** The old limit of the bit permutation: such matrices were distributed poorly. */
  @Test
  void matricesThatAreNoPowersOfTwoAreDealtOutEvenly() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Mapping mapping = Mapping.scatter(5, 3, 3, 1, 3);
          OpenOptions create = OpenOptions.create();
          try (NcubeFile file = new Ncube(rank).open("f", create, mapping)) {
            byte[] mine = new byte[3 * 5 * 2]; // two blocks
            Arrays.fill(mine, (byte) (1 + rank.number()));
            assertThat(file.write(mine)).isEqualTo(mine.length);
          }
          rank.barrier();
          Rank alone = rank.alone();
          try (NcubeFile file =
              new Ncube(alone).open("f", OpenOptions.read(), Mapping.row(15, 1, 1))) {
            byte[] row = new byte[15];
            for (int y = 0; y < 6; y++) {
              assertThat(file.read(row)).isEqualTo(15);
              for (int x = 0; x < 15; x++) {
                assertThat(row[x]).isEqualTo((byte) (1 + x / 5));
              }
            }
            assertThat(file.read(row)).isZero();
          }
          alone.leave("");
        });
  }

  @Test
  void mappingsBeyondAllPositionsAreRefusedOnAllAndLeaveNothingOpen() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Ncube ncube = new Ncube(rank);
          ncube.open("f", OpenOptions.create(), Mapping.column(1, 2)).close();
          List<Mapping> huge =
              List.of(
                  Mapping.row(1L << 40, 1L << 22, 2),
                  Mapping.row(1L << 61, 4, 2),
                  Mapping.row(1L << 62, 1, 2),
                  Mapping.block(1L << 60, 1L << 4, 2, 2),
                  Mapping.column(1, 2).width(Long.MAX_VALUE));
          for (Mapping mapping : huge.subList(0, 4)) {
            Late.before(rank, 1, "come");
            assertThatThrownBy(() -> ncube.open("f", OpenOptions.read(), mapping))
                .as("%s", mapping)
                .isInstanceOf(NcubeException.class)
                .hasMessageContaining("rank 0");
            assertThatThrownBy(() -> ncube.open("g", OpenOptions.create(), mapping))
                .isInstanceOf(NcubeException.class);
            rank.barrier();
          }
          assertThat(rank.names().list("")).doesNotContain("g");
          rank.barrier();
          rank.names().checkReplaceable("f"); // nobody has it open
          rank.barrier();
          assertThatThrownBy(
                  () ->
                      ncube.open(
                          "f", OpenOptions.read(), rank.number() == 0 ? huge.get(0) : huge.get(4)))
              .isInstanceOf(NcubeException.class);
          ncube.open("f", OpenOptions.read(), Mapping.column(1, 2)).close(); // the next one works
        });
    assertThatThrownBy(() -> Mapping.column(1L << 62, 2)).isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> Mapping.scatter(1L << 40, 1, 2, 1L << 40, 2))
        .isInstanceOf(ArithmeticException.class);
  }

  @Test
  void numbersAndBuffersAreReadAndWritten() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          OpenOptions create = OpenOptions.create();
          try (NcubeFile file = new Ncube(rank).open("f", create, Mapping.row(8, 1, 2))) {
            file.write(new int[] {rank.number(), 2});
            file.write(new double[] {0.25});
            file.write(ByteBuffer.allocate(9).position(1));
            file.seek(0);
            int[] ints = new int[2];
            double[] one = new double[1];
            file.read(ints);
            file.read(one);
            assertThat(ints).containsExactly(rank.number(), 2);
            assertThat(one).containsExactly(0.25);
            assertThat(file.read(ByteBuffer.allocateDirect(8))).isEqualTo(8);
          }
        });
  }
}
