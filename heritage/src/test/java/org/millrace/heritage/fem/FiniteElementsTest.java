package org.millrace.heritage.fem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.MillraceException;
import org.millrace.heritage.edonio.Edonio;
import org.millrace.heritage.nx.Nx;
import org.millrace.heritage.pfs.Pfs;
import org.millrace.heritage.program.HeritagePrograms;
import org.millrace.heritage.program.Stage;
import org.millrace.heritage.testing.Programs;

/** The finite-element program, through each of its files. */
final class FiniteElementsTest {

  private static final int[] DX = {0, 1, 1, 0, 0, 1, 1, 0};
  private static final int[] DY = {0, 0, 1, 1, 0, 0, 1, 1};
  private static final int[] DZ = {0, 0, 0, 0, 1, 1, 1, 1};

  @TempDir private Path directory;

  /** The whole file, element after element. */
  private static byte[] expected(int nex, int ney, int nez) {
    ByteBuffer all = ByteBuffer.allocate(nex * ney * nez * 32).order(ByteOrder.LITTLE_ENDIAN);
    for (int iy = 0; iy < ney; iy++) {
      for (int ix = 0; ix < nex; ix++) {
        for (int iz = 0; iz < nez; iz++) {
          for (int i = 0; i < 8; i++) {
            int z = iz + DZ[i];
            int x = ix + DX[i];
            int y = iy + DY[i];
            all.putInt(1 + z + (nez + 1) * (x + (nex + 1) * y));
          }
        }
      }
    }
    return all.array();
  }

  private List<ElementFile> files(Nx nx, Edonio io, Pfs pfs) {
    return List.of(
        new EdonioElementFile(io, "pfs/ex.bin"),
        new PfsElementFile(pfs, "pfs/nxex.bin"),
        new PlainElementFile(nx, directory.resolve("plain.bin")));
  }

  private static void makeFolder(Rank rank) throws IOException {
    if (rank.number() == 0) {
      rank.names().makeDirectory("pfs");
    }
    rank.barrier();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7})
  void everyFileIsTheSameHoweverManyRanksWriteIt(int ranks) throws IOException {
    Programs.run(
        directory.resolve("cluster"),
        ranks,
        2,
        rank -> {
          makeFolder(rank);
          Nx nx = new Nx(rank);
          for (int[] n : new int[][] {{5, 4, 3}, {1, 1, 1}, {2, 3, 100}, {20, 20, 20}}) {
            try (Edonio io = new Edonio(rank)) {
              io.do_nio(nx.mynode(), nx.numnodes());
              for (ElementFile file : files(nx, io, Pfs.pfslib_init(rank))) {
                for (boolean preload : new boolean[] {false, true}) {
                  Elements grid = new Elements(n[0], n[1], n[2]);
                  Phases phases = new FiniteElements(nx, grid, file).run(preload);
                  assertThat(phases.seconds()).hasSameSizeAs(Phases.NAMES).allMatch(s -> s >= 0);
                }
              }
              byte[] want = expected(n[0], n[1], n[2]);
              assertThat(bytes(rank, "pfs/ex.bin")).isEqualTo(want);
              assertThat(bytes(rank, "pfs/nxex.bin")).isEqualTo(want);
              assertThat(Files.readAllBytes(directory.resolve("plain.bin"))).isEqualTo(want);
            }
          }
        });
  }

  private static byte[] bytes(Rank rank, String path) throws IOException {
    try (SharedFile file = rank.open(path, OpenOptions.read())) {
      byte[] all = new byte[(int) file.size()];
      file.at(0).read(Memory.of(all));
      rank.barrier();
      return all;
    }
  }

  @Test
  void aWrongByteIsFound() throws IOException {
    Programs.run(
        directory.resolve("cluster"),
        1,
        1,
        rank -> {
          makeFolder(rank);
          Nx nx = new Nx(rank);
          Edonio io = new Edonio(rank);
          io.do_nio(0, 1);
          for (ElementFile file : files(nx, io, Pfs.pfslib_init(rank))) {
            FiniteElements program = new FiniteElements(nx, Elements.cube(6), file);
            assertThatThrownBy(() -> program.run(false, () -> spoil(rank)))
                .hasMessageContaining(file.name())
                .hasMessageContaining("column (3, 1) differs from byte 5 on");
          }
        });
  }

  /** Changes one byte of each file: byte 5 of the third column. */
  private void spoil(Rank rank) throws IOException {
    long at = 2L * Elements.cube(6).columnBytes() + 5;
    for (String path : rank.names().list("pfs")) {
      try (SharedFile file = rank.open("pfs/" + path, OpenOptions.write())) {
        file.at(at).write(Memory.of(new byte[] {99}));
      }
    }
    Path plain = directory.resolve("plain.bin");
    if (Files.exists(plain)) {
      byte[] all = Files.readAllBytes(plain);
      all[(int) at] = 99;
      Files.write(plain, all);
    }
  }

  /** What a program of the appendix says, by a stage that keeps lines. */
  private static final class Lines implements Stage.Output {

    private final List<String> all = new CopyOnWriteArrayList<>();

    @Override
    public void line(String text) {
      all.add(text);
    }

    @Override
    public void picture(String title, String svg) {}
  }

  @ParameterizedTest
  @ValueSource(strings = {"EDONIO", "NX"})
  void nodeZeroReadsTheArgumentsAndTellsTheOthersBySums(String calls) throws IOException {
    Lines lines = new Lines();
    Programs.run(
        directory.resolve("cluster"),
        3,
        2,
        rank -> {
          List<String> said = new ArrayList<>(List.of("5,4,3", "64,192", "1"));
          if (calls.equals("NX")) {
            said.add("nx");
          }
          List<String> arguments = rank.number() == 0 ? said : List.of("is not looked at");
          HeritagePrograms.named("edonio")
              .orElseThrow()
              .run(rank, new Stage(rank, lines), arguments);
          assertThat(rank.dataCache().limitBytes()).as("all nodes set it").isEqualTo(64 << 10);
          rank.barrier();
          assertThat(rank.names().list("")).as("nothing is left over").isEmpty();
        });
    assertThat(lines.all)
        .contains("nproc, nex,ney,nez 3 5 4 3", "data_size,disk_size 64 192", "ipreload 1")
        .anyMatch(line -> line.startsWith("open takes "))
        .anyMatch(line -> line.startsWith("total file size is 0 Megabytes"))
        .anyMatch(line -> line.startsWith("write takes "))
        .anyMatch(line -> line.startsWith("close for write takes "))
        .anyMatch(line -> line.startsWith("open for read takes "))
        .anyMatch(line -> line.startsWith("preload takes "))
        .anyMatch(line -> line.startsWith("all reads take "))
        .anyMatch(line -> line.startsWith("close for read takes "));
  }

  @Test
  void wrongArgumentsFailOnAllNodes() throws IOException {
    Programs.run(
        directory.resolve("cluster"),
        2,
        1,
        rank -> {
          for (List<String> wrong :
              List.of(List.of("5"), List.of("a", "1,1", "1"), List.of("5", "1,1", "1", "pvm"))) {
            assertThatThrownBy(
                    () ->
                        HeritagePrograms.named("edonio")
                            .orElseThrow()
                            .run(rank, new Stage(rank, new Lines()), wrong))
                .isInstanceOf(MillraceException.class);
          }
          rank.barrier();
        });
  }

  @Test
  void aColumnMayBeLongerThanTheReportsBuffer() throws IOException {
    Programs.run(
        directory.resolve("cluster"),
        2,
        2,
        rank -> {
          makeFolder(rank);
          Nx nx = new Nx(rank);
          try (Edonio io = new Edonio(rank)) {
            io.do_nio(nx.mynode(), nx.numnodes());
            Elements grid = new Elements(2, 2, 1500);
            new FiniteElements(nx, grid, new EdonioElementFile(io, "pfs/ex.bin")).run(true);
          }
        });
  }

  @Test
  void theReportsGridsHaveTheReportsSizes() {
    assertThat(Elements.cube(100).fileBytes()).isEqualTo(32_000_000);
    assertThat(Elements.cube(200).fileBytes()).isEqualTo(256_000_000);
    assertThat(Elements.cube(300).fileBytes()).isEqualTo(864_000_000);
    assertThat(new Elements(121, 121, 91).fileBytes()).isEqualTo(42_634_592);
    assertThatThrownBy(() -> Elements.cube(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Elements.cube(1290)).hasMessageContaining("2^31-1");
  }
}
