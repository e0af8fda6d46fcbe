package org.millrace.heritage.vesta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.MixedCallException;
import org.millrace.heritage.testing.Programs;

/** Rules of the survey's section 2.5, one by one. */
final class VestaRulesTest {

  private static final int BSU = 4;

  @TempDir private Path directory;

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  @Test
  void theStructureIsGivenAtCreationAndNeverChanges() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Vesta vesta = new Vesta(rank);
          Partition column = new Partition(1, 1, 1, 2, rank.number());
          vesta.open("f", Vesta.structure(BSU, 5), column, SpmdMode.A).close();
          for (OpenOptions again :
              List.of(Vesta.structure(8, 3), Vesta.structure(8, 3).withTruncate())) {
            try (Subfile file = vesta.open("f", again, column, SpmdMode.A)) {
              assertThat(file.bsuBytes()).isEqualTo(BSU);
              assertThat(file.cells()).isEqualTo(5);
            }
            rank.barrier();
          }
        });
  }

  @Test
  void aCellLivesOnOneNodeAndCellsGoRoundTheNodes() throws IOException {
    Programs.run(
        directory,
        1,
        3,
        rank -> {
          new Vesta(rank).open("f", Vesta.structure(BSU, 8), Partition.whole(8)).close();
          List<Integer> nodes = rank.names().layout("f").nodes();
          assertThat(nodes).hasSize(8);
          for (int cell = 0; cell < 8; cell++) {
            assertThat(nodes.get(cell)).isEqualTo((nodes.getFirst() + cell) % 3);
          }
        });
  }

  @Test
  void cellsHaveNoBound() throws IOException {
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          long far = 1L << 33;
          try (Subfile cell =
              new Vesta(rank).open("f", Vesta.structure(BSU, 2), new Partition(1, 1, 1, 2, 1))) {
            cell.write(far, filled(3, 7));
            assertThat(cell.bytes()).isEqualTo(far + 3);
            byte[] got = new byte[9];
            assertThat(cell.read(far - 3, got)).isEqualTo(6);
            assertThat(got).containsExactly(0, 0, 0, 7, 7, 7, 0, 0, 0);
          }
        });
  }

  @Test
  void eachCellHasAnEndOfItsOwn() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Vesta vesta = new Vesta(rank);
          Partition column = new Partition(1, 1, 1, 3, rank.number());
          int bytes = 5 + 9 * rank.number();
          try (Subfile file = vesta.open("f", Vesta.structure(BSU, 3), column, SpmdMode.A)) {
            file.write(filled(bytes, rank.number() + 1));
            rank.barrier();
            assertThat(file.bytes()).isEqualTo(bytes);
            byte[] got = new byte[50];
            assertThat(file.read(0, got)).as("not what others wrote").isEqualTo(bytes);
            assertThat(file.read(got)).isZero();
            assertThat(Arrays.copyOf(got, bytes)).containsOnly(rank.number() + 1);
          }
          rank.barrier();
          // two cells downwards in pairs: BSUs 0 and 1 of cell 0, then those of cell 1
          try (Subfile pair = vesta.open("f", OpenOptions.read(), new Partition(2, 1, 2, 2, 0))) {
            byte[] got = new byte[50];
            assertThat(pair.read(got)).isEqualTo(30); // cell 1 ends in the second pair
            assertThat(Arrays.copyOf(got, 5)).containsOnly(1);
            assertThat(Arrays.copyOfRange(got, 5, 8)).containsOnly(0);
            assertThat(Arrays.copyOfRange(got, 8, 16)).containsOnly(2);
            assertThat(Arrays.copyOfRange(got, 16, 24)).containsOnly(0);
            assertThat(Arrays.copyOfRange(got, 24, 30)).containsOnly(2);
          }
        });
  }

  @Test
  void whatWasWrittenOnThroughASubfileIsReadToItsLastByteInEveryOrder() throws IOException {
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          Vesta vesta = new Vesta(rank);
          for (int bytes = 1; bytes < 40; bytes++) {
            Partition pairs = new Partition(2, 1, 1, 1, 0);
            OpenOptions empty = Vesta.structure(BSU, 2).withTruncate();
            try (Subfile file = vesta.open("f", empty, pairs)) {
              file.write(filled(bytes, 1));
              assertThat(file.bytes()).isEqualTo(bytes);
              byte[] got = new byte[60];
              assertThat(file.read(0, got)).isEqualTo(bytes);
              assertThat(Arrays.copyOf(got, bytes)).containsOnly(1);
            }
          }
        });
  }

  @Test
  void rowsColumnsBlocksAndTheirCyclicKindsArePartitions() {
    int cells = 4;
    // who has the BSU in row r and cell c, of P = 2 or 4 subfiles
    check(cells, new Partition(1, 2, 4, 1, 0), "0000/1111/0000/1111"); // rows, cyclic
    check(cells, new Partition(2, 2, 4, 1, 0), "0000/0000/1111/1111"); // blocks of rows
    check(cells, new Partition(1, 1, 1, 2, 0), "0101/0101/0101/0101"); // columns, cyclic
    check(cells, new Partition(1, 1, 2, 2, 0), "0011/0011/0011/0011"); // blocks of columns
    check(cells, new Partition(2, 2, 2, 2, 0), "0011/0011/2233/2233"); // blocks
    check(cells, new Partition(1, 2, 1, 2, 0), "0101/2323/0101/2323"); // blocks, cyclic
  }

  private static void check(int cells, Partition scheme, String owners) {
    String[] rows = owners.split("/", -1);
    for (int number = 0; number < scheme.subfiles(); number++) {
      View view = scheme.number(number).view(1, cells);
      char[][] drawn = new char[rows.length][cells];
      for (long at = 0; view.offsetOf(at) < (long) rows.length * cells; at++) {
        drawn[(int) (view.offsetOf(at) / cells)][(int) (view.offsetOf(at) % cells)] = 'x';
      }
      for (int r = 0; r < rows.length; r++) {
        for (int c = 0; c < cells; c++) {
          assertThat(drawn[r][c] == 'x').isEqualTo(rows[r].charAt(c) == '0' + number);
        }
      }
    }
  }

  @Test
  void openingAndAccessToOnesOwnSubfileWaitForNobody() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          if (rank.number() == 0) { // the others come when it has long been done
            Partition mine = new Partition(1, 1, 1, 3, 0);
            try (Subfile file = new Vesta(rank).open("f", Vesta.structure(BSU, 3), mine)) {
              file.write(filled(20, 1));
              assertThat(file.read(0, new byte[30])).isEqualTo(20);
            }
          }
          rank.barrier();
          Partition mine = new Partition(1, 1, 1, 3, rank.number());
          try (Subfile file =
              new Vesta(rank).open("f", OpenOptions.readWrite(), mine, SpmdMode.A)) {
            for (int turn = 0; turn < 3; turn++) { // the library's mode A does not wait, either
              if (turn == rank.number()) {
                file.write(filled(6, turn));
              }
              rank.barrier();
            }
          }
        });
  }

  @Test
  void eachProcessHasAnOffsetOfItsOwnForEachOpen() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Vesta vesta = new Vesta(rank);
          OpenOptions options = Vesta.structure(BSU, 2);
          try (Subfile one = vesta.open("f", options, Partition.whole(2));
              Subfile other = vesta.open("f", options, Partition.whole(2))) {
            one.write(filled(3 + rank.number(), 1));
            assertThat(one.offset()).isEqualTo(3 + rank.number());
            assertThat(other.offset()).isZero();
          }
        });
  }

  @Test
  void thereIsNoSeek() {
    for (Class<?> type : List.of(Vesta.class, Subfile.class)) {
      for (Method method : type.getMethods()) {
        assertThat(method.getName().toLowerCase(Locale.ROOT)).doesNotContain("seek");
      }
    }
  }

  @Test
  void sharedOffsetsGoInTheOrderInWhichCallsAreIssued() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Vesta vesta = new Vesta(rank);
          int[] order = {2, 0, 1, 1, 2, 0};
          try (Subfile file =
              vesta.open("f", Vesta.structure(BSU, 2), Partition.whole(2), SpmdMode.C)) {
            for (int turn = 0; turn < order.length; turn++) {
              if (order[turn] == rank.number()) {
                file.write(filled(turn + 1, 10 * turn + rank.number()));
              }
              rank.barrier();
            }
          }
          try (Subfile file = vesta.open("f", OpenOptions.read(), Partition.whole(2), SpmdMode.C)) {
            for (int turn = 0; turn < order.length; turn++) {
              if (turn % 3 == rank.number()) {
                byte[] got = new byte[turn + 1];
                assertThat(file.read(got)).isEqualTo(turn + 1);
                assertThat(got).containsOnly(10 * turn + order[turn]);
              }
              rank.barrier();
            }
          }
        });
  }

  @Test
  void modeBLetsProcessesWriteTheSamePartitionWithoutCoordination() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Vesta vesta = new Vesta(rank);
          // different subfiles, even of different schemes, are allowed, too
          Partition mine = new Partition(1 + rank.number() % 2, 1, 1, 1, 0);
          try (Subfile file = vesta.open("f", Vesta.structure(BSU, 2), mine, SpmdMode.B)) {
            if (rank.number() == 2) { // alone: nobody has to come
              file.write(filled(8, 5));
              assertThat(file.offset()).isEqualTo(8);
            }
            rank.barrier();
            assertThat(file.bytes()).isEqualTo(rank.number() % 2 == 0 ? 8 : 12);
          }
        });
  }

  @Test
  void modeDRefusesDifferentOperationsOnAll() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          try (Subfile file =
              new Vesta(rank).open("f", Vesta.structure(BSU, 2), Partition.whole(2), SpmdMode.D)) {
            assertThatThrownBy(
                    () -> {
                      if (rank.number() == 0) {
                        file.read(new byte[4]);
                      } else {
                        file.write(new byte[4]);
                      }
                    })
                .isInstanceOf(MixedCallException.class);
            assertThat(file.offset()).isZero();
            rank.barrier();
            assertThat(file.fileBytes()).isZero();
          }
        });
  }

  @Test
  void inModeDTheDisksAreReadOnceForAll() throws IOException {
    OpenOptions options = Vesta.structure(1000, 2);
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          try (Subfile file = new Vesta(rank).open("f", options, Partition.whole(2))) {
            file.write(filled(4000, 3)); // one block in each cell
          }
        });
    Programs.run( // nothing is in memory now
        directory,
        3,
        2,
        rank -> {
          try (Subfile file = new Vesta(rank).open("f", options, Partition.whole(2), SpmdMode.D)) {
            long before = rank.allReduceLong(diskReads(rank), Math::min);
            byte[] got = new byte[5000];
            assertThat(file.read(got)).isEqualTo(4000);
            assertThat(Arrays.copyOf(got, 4000)).containsOnly(3);
            rank.barrier();
            assertThat(diskReads(rank) - before).isEqualTo(2);
          }
        });
  }

  private static long diskReads(Rank rank) throws IOException {
    return rank.report().stream().mapToLong(node -> node.getOrDefault("reads", 0L)).sum();
  }

  @Test
  void accessesOfModesDToFWaitForALateProcess() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          for (SpmdMode mode : List.of(SpmdMode.D, SpmdMode.E, SpmdMode.F)) {
            try (Subfile file =
                new Vesta(rank)
                    .open("f" + mode, Vesta.structure(BSU, 2), Partition.whole(2), mode)) {
              if (rank.number() == 1) { // late: it comes when the others have told it that they go
                for (int other : List.of(0, 2)) {
                  rank.receive(other, 1);
                }
                assertThat(file.fileBytes()).as("nobody has written").isZero();
              } else {
                rank.send(1, 1, new byte[0]);
              }
              file.write(filled(3, rank.number() + 1));
              rank.barrier();
              assertThat(file.offset()).isEqualTo(mode == SpmdMode.D ? 3 : 9);
              rank.barrier();
            }
          }
        });
  }

  @Test
  void buffersAreArraysOfNumbersAndByteBuffersToo() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          try (Subfile file =
              new Vesta(rank).open("f", Vesta.structure(BSU, 2), new Partition(2, 1, 1, 1, 0))) {
            assertThat(file.write(new int[] {1, -2, 3})).isEqualTo(12);
            assertThat(file.write(new double[] {0.5, -1e300})).isEqualTo(16);
            ByteBuffer some = ByteBuffer.wrap(VestaTest.bytes(10, 0)).position(2).limit(7);
            assertThat(file.write(some)).isEqualTo(5);
            assertThat(some.position()).isEqualTo(2);
            int[] ints = new int[3];
            double[] doubles = new double[2];
            ByteBuffer bytes = ByteBuffer.allocateDirect(9);
            assertThat(file.read(0, ints)).isEqualTo(12);
            assertThat(file.read(doubles)).isEqualTo(16);
            assertThat(file.read(28, bytes)).isEqualTo(5);
            assertThat(ints).containsExactly(1, -2, 3);
            assertThat(doubles).containsExactly(0.5, -1e300);
            assertThat(bytes).isEqualTo(ByteBuffer.wrap(new byte[] {2, 3, 4, 5, 6, 0, 0, 0, 0}));
          }
        });
  }

  @Test
  void memoryThatIsNoneFailsOnAllThatWait() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          for (SpmdMode mode : SpmdMode.values()) {
            Partition mine =
                mode == SpmdMode.A ? new Partition(1, 1, 1, 2, rank.number()) : Partition.whole(2);
            try (Subfile file =
                new Vesta(rank).open("f" + mode, Vesta.structure(BSU, 2), mine, mode)) {
              boolean waits = mode.compareTo(SpmdMode.D) >= 0;
              for (int bad = 0; bad < 2; bad++) {
                byte[] given = rank.number() == bad ? none() : new byte[2];
                if (waits || rank.number() == bad) {
                  assertThatThrownBy(() -> file.write(given)).isInstanceOf(Exception.class);
                  assertThatThrownBy(() -> file.read(given)).isInstanceOf(Exception.class);
                }
                assertThat(file.write(new byte[waits ? 2 : 0])).isEqualTo(waits ? 2 : 0);
              }
              assertThatThrownBy(() -> file.write(noSegment())).isInstanceOf(Exception.class);
            }
          }
        });
  }

  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what a careless program does
  private static byte[] none() {
    return null;
  }

  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what a careless program does
  private static MemorySegment noSegment() {
    return null;
  }
}
