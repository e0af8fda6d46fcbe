package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.millrace.heritage.mpiio.FileErrorsTest.assertFails;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Program;
import org.millrace.heritage.testing.Programs;

/** Views: what may be one, where offsets lie, and where the file ends in them. */
final class FileViewTest {

  private static final Datatype INT = Datatype.INT;
  private static final Datatype BYTE = Datatype.BYTE;

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 2, program);
  }

  @Test
  void offsetsLieWhereTheFormulaPutsThem() throws IOException {
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "formula", Ints.CREATE)) {
            for (int disp = 0; disp < 9; disp += 4) {
              for (int block = 1; block < 4; block++) {
                for (int hole = 0; hole < 3; hole++) {
                  long extent = 4L * (block + hole);
                  Datatype tile =
                      Datatype.createResized(Datatype.createContiguous(block, INT), 0, extent);
                  file.setView(disp, INT, tile, Ints.NATIVE);
                  assertThat(file.getView()).isEqualTo(new FileView(disp, INT, tile, Ints.NATIVE));
                  for (int k = 0; k < 20; k++) {
                    assertThat(file.getByteOffset(k))
                        .isEqualTo(disp + k / block * extent + k % block * 4L);
                  }
                  for (int size = 0; size < 60; size++) {
                    file.setSize(size);
                    file.seek(0, Whence.SEEK_END);
                    assertThat(file.getPosition())
                        .as("disp %s, block %s, hole %s, size %s", disp, block, hole, size)
                        .isEqualTo(etypesThatBeginBelow(size, disp, block, extent));
                  }
                }
              }
            }
          }
        });
  }

  /** An etype that the end cuts counts: the end is rounded up. */
  private static long etypesThatBeginBelow(int size, int disp, int block, long extent) {
    long k = 0;
    while (disp + k / block * extent + k % block * 4L < size) {
      k++;
    }
    return k;
  }

  @Test
  void typesThatCannotBeFiletypesAreRefusedOnAllRanks() throws IOException {
    Datatype backwards = Datatype.createIndexedBlock(1, new long[] {3, 1}, INT);
    Datatype negative = Datatype.createIndexedBlock(1, new long[] {-1, 1}, INT);
    Datatype overlapping = Datatype.createHIndexedBlock(1, new long[] {0, 2}, INT);
    Datatype interlocked = Datatype.createResized(Datatype.createContiguous(2, INT), 0, 4);
    Datatype shrinking = Datatype.createResized(INT, 0, -4);
    run(
        2,
        rank -> {
          File.open(rank, "types", Ints.CREATE).close();
          try (File file = File.open(rank, "types", Amode.RDWR)) {
            for (Datatype type : new Datatype[] {backwards, negative, overlapping, interlocked}) {
              assertFails(ErrorClass.IO, () -> file.setView(0, INT, type, Ints.NATIVE));
            }
            assertFails(ErrorClass.IO, () -> file.setView(0, INT, shrinking, Ints.NATIVE));
            assertFails(ErrorClass.ARG, () -> file.setView(0, INT, BYTE, Ints.NATIVE));
            assertFails(
                ErrorClass.ARG,
                () -> file.setView(0, Datatype.createContiguous(0, INT), INT, Ints.NATIVE));
            assertFails(ErrorClass.ARG, () -> file.setView(-1, INT, INT, Ints.NATIVE));
            assertFails(
                ErrorClass.UNSUPPORTED_DATAREP, () -> file.setView(0, INT, INT, "external64"));
            Datatype onOne = rank.number() == 1 ? backwards : INT;
            assertFails(ErrorClass.IO, () -> file.setView(0, INT, onOne, Ints.NATIVE));
            assertThat(file.getView()).isEqualTo(FileView.BYTES);
          }
        });
  }

  @Test
  void etypesAreCheckedAsFiletypesAre() throws IOException {
    Datatype backwards = Datatype.createIndexedBlock(1, new long[] {3, 1}, INT);
    Datatype negative = Datatype.createIndexedBlock(1, new long[] {-1, 1}, INT);
    Datatype overlapping = Datatype.createHIndexedBlock(1, new long[] {0, 2}, INT);
    Datatype eight = Datatype.createContiguous(8, BYTE);
    run(
        2,
        rank -> {
          File.open(rank, "etypes", Ints.CREATE).close();
          try (File file = File.open(rank, "etypes", Amode.WRONLY)) {
            for (Datatype etype : new Datatype[] {backwards, negative, overlapping}) {
              assertFails(ErrorClass.IO, () -> file.setView(0, etype, eight, Ints.NATIVE));
              Datatype onOne = rank.number() == 0 ? etype : eight;
              assertFails(ErrorClass.IO, () -> file.setView(0, onOne, eight, Ints.NATIVE));
            }
            assertFails(ErrorClass.ARG, () -> file.setView(0, eight, INT, Ints.NATIVE));
            assertThat(file.getView()).isEqualTo(FileView.BYTES);
          }
          try (File file = File.open(rank, "etypes", Amode.RDONLY)) {
            assertFails(ErrorClass.IO, () -> file.setView(0, backwards, eight, Ints.NATIVE));
            file.setView(0, overlapping, eight, Ints.NATIVE); // may be read through
            assertThat(file.getView().etype()).isSameAs(overlapping);
          }
        });
  }

  @Test
  void theUnitOfOffsetsIsTheEtypeAlsoWhereItHasHoles() throws IOException {
    Datatype pair = Datatype.createHIndexedBlock(1, new long[] {0, 8}, INT); // extent of 12
    Datatype tile = Datatype.createContiguous(2, pair);
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "unit", Ints.CREATE)) {
            file.setView(4, pair, tile, Ints.NATIVE);
            assertThat(file.getByteOffset(1)).isEqualTo(4 + 12);
            assertThat(file.getByteOffset(2)).isEqualTo(4 + 24);
            file.write(new int[] {1, 2, 3, 4}, 4, INT);
            assertThat(file.getPosition()).isEqualTo(2);
            assertFails(ErrorClass.IO, () -> file.write(new int[1], 1, INT)); // half an etype
          }
          assertThat(Ints.file(rank, "unit")).containsExactly(0, 1, 0, 2, 3, 0, 4);
        });
  }

  @Test
  void sequentialViewsBeginWhereThePointerStandsWhenAllHaveCome() throws IOException {
    run(
        3,
        rank -> {
          int amode = Amode.CREATE | Amode.WRONLY | Amode.SEQUENTIAL;
          try (File file = File.open(rank, "tape", amode)) {
            if (rank.number() == 2) { // the others are in setView by now, or will be
              rank.receive(0, 1);
              file.writeShared(new byte[7], 7, BYTE);
            }
            if (rank.number() == 0) {
              rank.send(2, 1, new byte[0]);
            }
            file.setView(File.DISPLACEMENT_CURRENT, BYTE, BYTE, Ints.NATIVE);
            assertThat(file.getView().disp()).isEqualTo(7);
          }
        });
  }

  @Test
  void overlappingFiletypesMayBeReadThrough() throws IOException {
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "twice", Ints.CREATE)) {
            file.write(new byte[] {0, 1, 2, 3, 4, 5, 6, 7}, 8, BYTE);
          }
          try (File file = File.open(rank, "twice", Amode.RDONLY)) {
            Datatype pairs = Datatype.createHIndexedBlock(2, new long[] {0, 1}, BYTE);
            file.setView(0, BYTE, Datatype.createResized(pairs, 0, 3), Ints.NATIVE);
            byte[] got = new byte[8];
            assertThat(file.read(got, 8, BYTE).bytes()).isEqualTo(8);
            assertThat(got).containsExactly(0, 1, 1, 2, 3, 4, 4, 5);
          }
        });
  }

  /** A long irregular list under two loops, through which the next tiles reach. */
  @Test
  void aFiletypeOfWhichNobodyCanTellIsNotSaidToOverlap() throws IOException {
    long[] at = new Random(5).longs(20_000, 0, 1L << 40).map(x -> 4 * x).sorted().toArray();
    long turn = (1L << 42) + 60;
    Datatype list = Datatype.createHIndexedBlock(1, at, INT);
    Datatype rows = Datatype.createHVector(200, 1, turn, list);
    Datatype planes = Datatype.createHVector(30, 1, 200 * turn + 108, rows);
    Datatype tile = Datatype.createResized(planes, 0, (1L << 50) + 308);
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "irregular", Ints.CREATE)) {
            assertThatThrownBy(() -> file.setView(0, INT, tile, Ints.NATIVE))
                .hasMessageContaining("is too irregular to tell whether it overlaps itself");
          }
          try (File file = File.open(rank, "irregular", Amode.RDONLY)) {
            file.setView(0, INT, tile, Ints.NATIVE);
          }
        });
  }

  @Test
  void emptyViewsAllowOnlyAccessesOfNothing() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "empty", Ints.CREATE)) {
            file.setView(0, INT, Datatype.createContiguous(0, INT), Ints.NATIVE);
            assertThat(file.writeAll(Ints.of(1, _ -> 1), 0, INT).bytes()).isZero();
            assertFails(ErrorClass.ARG, () -> file.writeAll(Ints.of(1, _ -> 1), 1, INT));
            assertFails(ErrorClass.ARG, () -> file.getByteOffset(0));
          }
        });
  }

  @Test
  void viewsOfRanksMayDifferAndCoverTheFileTogether() throws IOException {
    run(
        3,
        rank -> {
          int r = rank.number();
          try (File file = File.open(rank, "dealt", Ints.CREATE)) {
            file.setView(0, INT, Ints.slots(3, r), Ints.NATIVE);
            file.writeAll(Ints.of(4, i -> 10 * i + r), 4, INT);
          }
          assertThat(Ints.file(rank, "dealt"))
              .containsExactly(0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32);
        });
  }

  @Test
  void statusCountsTypesElementsAndBytes() throws IOException {
    Datatype pair =
        Datatype.createStruct(
            new long[] {1, 1}, new long[] {0, 8}, new Datatype[] {Datatype.DOUBLE, INT});
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "status", Ints.CREATE)) {
            assertThat(file.getTypeExtent(pair)).isEqualTo(16);
            file.write(new byte[45], 45, BYTE);
            MemorySegment memory = MemorySegment.ofArray(new byte[16 * 5]);
            Status status = file.readAt(0, memory, 5, pair); // 12 bytes each
            assertThat(status.bytes()).isEqualTo(45);
            assertThat(status.getCount(pair)).isEqualTo(Status.UNDEFINED);
            assertThat(status.getElements(pair)).isEqualTo(Status.UNDEFINED);
            file.setSize(44);
            status = file.readAt(0, memory, 5, pair);
            assertThat(status.getCount(pair)).isEqualTo(Status.UNDEFINED);
            assertThat(status.getElements(pair)).isEqualTo(7);
            file.setSize(36);
            status = file.readAt(0, memory, 5, pair);
            assertThat(status.getCount(pair)).isEqualTo(3);
            assertThat(status.getElements(pair)).isEqualTo(6);
            assertThat(new Status(0).getCount(Datatype.createContiguous(0, INT))).isZero();
          }
        });
  }

  @Test
  void pointersMoveByWhatWasAskedForAlsoAtTheEnd() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "past", Ints.CREATE)) {
            file.setSize(10);
            byte[] into = new byte[8];
            assertThat(file.read(into, 8, BYTE).bytes()).isEqualTo(8);
            assertThat(file.read(into, 8, BYTE).bytes()).isEqualTo(2);
            assertThat(file.getPosition()).isEqualTo(16);
            assertThat(file.read(into, 8, BYTE).bytes()).isZero();
            long moved = file.readOrdered(into, 8, BYTE).bytes();
            assertThat(moved).isEqualTo(rank.number() == 0 ? 8 : 2);
            assertThat(file.getPositionShared()).isEqualTo(16);
          }
        });
  }
}
