package org.millrace.heritage.ncube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/** Mapped files with pointers of their own, and files with a common one. */
final class NcubeTest {

  @TempDir private Path directory;

  private static byte[] plain(Rank rank) throws IOException {
    rank.barrier();
    Rank alone = rank.alone();
    byte[] content = new byte[1000];
    try (NcubeFile file = new Ncube(alone).open("f", OpenOptions.read(), Mapping.row(1, 1, 1))) {
      return Arrays.copyOf(content, (int) file.read(MemorySegment.ofArray(content)));
    }
  }

  @Test
  void partsWrittenByMappingMakeTheMatrix() throws IOException {
    List<Mapping> mappings =
        List.of(
            Mapping.row(10, 2, 4),
            Mapping.column(3, 4),
            Mapping.block(5, 3, 2, 4),
            Mapping.scatter(2, 2, 2, 3, 4),
            Mapping.scatter(2, 2, 2, 3, 4).width(11));
    for (Mapping mapping : mappings) {
      int rows = (int) (4 * mapping.dy() * 4 / mapping.tw());
      int bytes = (int) (rows * mapping.dimX());
      Programs.run(
          directory.resolve(mapping.kind() + " " + mapping.dimX()),
          4,
          3,
          rank -> {
            OpenOptions create = OpenOptions.create().withStripeUnit(7).withStrands(3);
            try (NcubeFile file = new Ncube(rank).open("f", create, mapping)) {
              for (int at = 0; file.view().offsetOf(at) < bytes; at++) {
                file.write(new byte[] {(byte) file.view().offsetOf(at)});
              }
            }
            byte[] content = plain(rank);
            assertThat(content).hasSize(bytes);
            for (int i = 0; i < bytes; i++) {
              assertThat(content[i]).isEqualTo((byte) i);
            }
          });
      Programs.run(
          directory.resolve(mapping.kind() + " " + mapping.dimX()),
          2,
          3,
          rank -> { // half as many processing elements see whole rows in turn
            Mapping other = Mapping.row(mapping.dimX(), 1, 2);
            try (NcubeFile file = new Ncube(rank).open("f", OpenOptions.read(), other)) {
              byte[] row = new byte[(int) mapping.dimX()];
              file.seek(mapping.dimX());
              assertThat(file.read(row)).isEqualTo(row.length);
              assertThat(row[0]).isEqualTo((byte) ((2 + rank.number()) * row.length));
              assertThat(file.position()).isEqualTo(2L * row.length);
              file.seek(0);
              byte[] all = new byte[bytes];
              assertThat(file.read(all)).isEqualTo((rows + 1L - rank.number()) / 2 * row.length);
              assertThat(file.read(all)).isZero();
              assertThat(file.read(new byte[0])).isZero();
            }
          });
    }
  }

  @Test
  void aCommonPointerHandsOutEachByteOnce() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Ncube ncube = new Ncube(rank);
          try (NcubeFile file = ncube.openCommon("f", OpenOptions.create())) {
            byte[] mine = new byte[4];
            Arrays.fill(mine, (byte) rank.number());
            file.write(mine);
            file.write(mine);
            rank.barrier();
            assertThat(file.position()).isEqualTo(24);
            rank.barrier();
            if (rank.number() == 1) {
              file.seek(0);
            }
            rank.barrier();
            byte[] got = new byte[4];
            int[] counts = new int[3];
            while (file.read(got) > 0) {
              assertThat(got).containsOnly(got[0]);
              counts[got[0]]++;
            }
            for (int count : counts) {
              assertThat(rank.allReduceLong(count, Long::sum)).isEqualTo(2);
            }
          }
        });
  }

  @Test
  void mappingsThatDifferOrDoNotFitAreRefusedOnAll() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Ncube ncube = new Ncube(rank);
          assertThatThrownBy(
                  () -> ncube.open("f", OpenOptions.create(), Mapping.column(1 + rank.number(), 2)))
              .isInstanceOf(NcubeException.class)
              .hasMessageContaining("rank 0 calls open")
              .hasMessageContaining("rank 1 calls open");
          assertThatThrownBy(() -> ncube.open("f", OpenOptions.create(), Mapping.column(1, 3)))
              .isInstanceOf(NcubeException.class)
              .hasMessageContaining("for 3 processing elements of 2");
          assertThat(rank.names().list("")).isEmpty();
          NcubeFile file = ncube.open("f", OpenOptions.create(), Mapping.column(1, 2));
          assertThatThrownBy(() -> file.seek(-1)).isInstanceOf(RuntimeException.class);
          assertThat(file.position()).isZero();
          file.close();
          assertThatThrownBy(() -> file.read(new byte[1])).isInstanceOf(IOException.class);
        });
  }
}
