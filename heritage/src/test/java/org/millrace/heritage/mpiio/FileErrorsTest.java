package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Program;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.heritage.testing.Programs;

/** Every error class under its condition; errors of collective calls on all ranks. */
final class FileErrorsTest {

  private static final Datatype INT = Datatype.INT;

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 2, program);
  }

  static void assertFails(ErrorClass errorClass, ThrowingCallable act) {
    assertThatThrownBy(act)
        .isInstanceOfSatisfying(
            MpiFileException.class,
            e -> assertThat(e.getErrorClass()).as(e.toString()).isEqualTo(errorClass))
        .hasMessageContaining(errorClass.toString());
  }

  @Test
  void namesThatAreNotThereOrNotFilesAreTold() throws IOException {
    run(
        2,
        rank -> {
          assertFails(ErrorClass.NO_SUCH_FILE, () -> File.open(rank, "missing", Amode.RDONLY));
          assertFails(ErrorClass.NO_SUCH_FILE, () -> File.delete(rank, "missing"));
          if (rank.number() == 0) {
            rank.names().makeDirectory("folder");
          }
          rank.barrier();
          assertFails(ErrorClass.BAD_FILE, () -> File.open(rank, "folder", Amode.RDWR));
          File.open(rank, "there", Ints.CREATE).close();
          assertFails(
              ErrorClass.FILE_EXISTS, () -> File.open(rank, "there", Ints.CREATE | Amode.EXCL));
        });
  }

  @Test
  void namesThatNoFileCanHaveAreBadFiles() throws IOException {
    String[] bad = {
      "", "/", "a//b", "./x", "../x", "x/", "a\u0000b", "n".repeat(300), "p/".repeat(3000) + "x"
    };
    run(
        2,
        rank -> {
          for (String name : bad) {
            assertFails(ErrorClass.BAD_FILE, () -> File.open(rank, name, Ints.CREATE));
            assertFails(ErrorClass.BAD_FILE, () -> File.open(rank, name, Amode.RDONLY));
            assertFails(ErrorClass.BAD_FILE, () -> File.delete(rank, name));
          }
          assertFails(ErrorClass.BAD_FILE, () -> File.open(rank, nothing(), Ints.CREATE));
          assertFails(ErrorClass.BAD_FILE, () -> File.delete(rank, nothing()));
          File.open(rank, "plain", Ints.CREATE).close();
          assertFails(ErrorClass.BAD_FILE, () -> File.open(rank, "plain/below", Ints.CREATE));
          assertFails(ErrorClass.NO_SUCH_FILE, () -> File.open(rank, "no/where", Ints.CREATE));
        });
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what a careless program gives
  private static <T> T nothing() {
    return null;
  }

  @Test
  void directoriesAreNotDeletedAsFiles() throws IOException {
    run(
        1,
        rank -> {
          rank.names().makeDirectory("empty");
          assertFails(ErrorClass.BAD_FILE, () -> File.delete(rank, "empty"));
          assertThat(rank.names().list("")).containsExactly("empty/");
        });
  }

  @Test
  void missingArgumentsOfOneRankFailOnAll() throws IOException {
    run(
        2,
        rank -> {
          boolean odd = rank.number() == 1;
          try (File file = File.open(rank, "missing", Ints.CREATE)) {
            assertFails(
                ErrorClass.ARG, () -> file.setView(0, odd ? nothing() : INT, INT, Ints.NATIVE));
            assertFails(
                ErrorClass.ARG, () -> file.setView(0, INT, odd ? nothing() : INT, Ints.NATIVE));
            assertFails(
                ErrorClass.ARG, () -> file.setView(0, INT, INT, odd ? nothing() : "native"));
            assertFails(ErrorClass.ARG, () -> file.seekShared(0, nothing()));
            assertFails(ErrorClass.ARG, () -> file.seek(0, nothing()));
            assertFails(ErrorClass.ARG, () -> file.getTypeExtent(nothing()));
            assertThat(file.getView()).isEqualTo(FileView.BYTES);
            file.sync(); // all are in step
          }
        });
  }

  @Test
  void offsetsThatNoFileReachesAreRefused() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "far", Ints.CREATE)) {
            file.setView(0, INT, INT, Ints.NATIVE);
            assertFails(ErrorClass.ARG, () -> file.getByteOffset(-1));
            assertFails(ErrorClass.ARG, () -> file.getByteOffset(Long.MAX_VALUE));
            assertFails(ErrorClass.ARG, () -> file.seek(Long.MAX_VALUE, Whence.SEEK_SET));
            assertFails(ErrorClass.ARG, () -> file.seekShared(Long.MAX_VALUE, Whence.SEEK_SET));
            file.seek(Long.MAX_VALUE / 4, Whence.SEEK_SET);
            assertFails(ErrorClass.ARG, () -> file.seek(1, Whence.SEEK_CUR));
            assertFails(ErrorClass.ARG, () -> file.write(new int[1], 1, INT));
            assertFails(ErrorClass.ARG, () -> file.setView(Long.MAX_VALUE, INT, INT, Ints.NATIVE));
            assertThat(file.getSize()).isZero();
          }
        });
  }

  @Test
  void openFilesCannotBeDeletedAndClosedOnesCannotBeUsed() throws IOException {
    run(
        2,
        rank -> {
          File file = File.open(rank, "busy", Ints.CREATE);
          assertFails(ErrorClass.FILE_IN_USE, () -> File.delete(rank, "busy"));
          file.close();
          file.close();
          assertFails(ErrorClass.FILE, file::getSize);
          assertFails(ErrorClass.FILE, () -> file.read(new byte[1], 1, Datatype.BYTE));
          assertFails(ErrorClass.FILE, () -> file.writeAll(new byte[1], 1, Datatype.BYTE));
          assertFails(ErrorClass.FILE, () -> file.readOrdered(new byte[1], 1, Datatype.BYTE));
          assertFails(ErrorClass.FILE, () -> file.seek(0, Whence.SEEK_SET));
          assertFails(ErrorClass.FILE, file::sync);
          assertFails(ErrorClass.FILE, file::getView);
          if (rank.number() == 0) {
            File.delete(rank, "busy");
          }
        });
  }

  @Test
  void accessModesThatDoNotGoTogetherAreRefusedOnAllRanks() throws IOException {
    int[] wrong = {
      0,
      Amode.CREATE,
      Amode.RDONLY | Amode.WRONLY,
      Amode.RDONLY | Amode.RDWR,
      Amode.RDONLY | Amode.CREATE,
      Amode.RDONLY | Amode.EXCL,
      Amode.RDWR | Amode.SEQUENTIAL,
      Amode.RDWR | 4096
    };
    run(
        2,
        rank -> {
          for (int amode : wrong) {
            assertFails(ErrorClass.AMODE, () -> File.open(rank, "amode", amode));
          }
          int amode = rank.number() == 0 ? Amode.CREATE | Amode.RDONLY : Ints.CREATE;
          assertFails(ErrorClass.AMODE, () -> File.open(rank, "amode", amode));
          assertFails(ErrorClass.NO_SUCH_FILE, () -> File.open(rank, "amode", Amode.RDONLY));
        });
  }

  @Test
  void argumentsThatMustBeTheSameAreCompared() throws IOException {
    run(
        2,
        rank -> {
          int r = rank.number();
          assertFails(ErrorClass.NOT_SAME, () -> File.open(rank, "name" + r, Ints.CREATE));
          assertFails(
              ErrorClass.NOT_SAME,
              () -> File.open(rank, "same", r == 0 ? Ints.CREATE : Amode.RDWR));
          assertFails(
              ErrorClass.NOT_SAME,
              () -> File.open(rank, "same", Ints.CREATE, Info.of("cb_nodes", "" + (r + 1))));
          try (File file = File.open(rank, "same", Ints.CREATE)) {
            assertFails(ErrorClass.NOT_SAME, () -> file.setSize(r));
            assertFails(ErrorClass.NOT_SAME, () -> file.preallocate(r));
            assertFails(ErrorClass.NOT_SAME, () -> file.setAtomicity(r == 0));
            assertFails(ErrorClass.NOT_SAME, () -> file.seekShared(r, Whence.SEEK_SET));
            assertFails(
                ErrorClass.NOT_SAME,
                () -> file.seekShared(0, r == 0 ? Whence.SEEK_SET : Whence.SEEK_CUR));
            assertFails(ErrorClass.NOT_SAME, () -> file.setInfo(Info.of("cb_nodes", "" + (r + 1))));
            Datatype etype = r == 0 ? INT : Datatype.BYTE;
            assertFails(ErrorClass.NOT_SAME, () -> file.setView(0, etype, INT, Ints.NATIVE));
            String datarep = r == 0 ? Ints.NATIVE : "external32";
            assertFails(ErrorClass.NOT_SAME, () -> file.setView(0, INT, INT, datarep));
            assertFails(
                ErrorClass.NOT_SAME,
                () -> {
                  if (r == 0) {
                    file.sync();
                  } else {
                    file.setSize(0);
                  }
                });
            assertFails(
                ErrorClass.NOT_SAME,
                () -> {
                  if (r == 0) {
                    file.readAll(new byte[1], 1, Datatype.BYTE);
                  } else {
                    file.writeAll(new byte[1], 1, Datatype.BYTE);
                  }
                });
            assertThat(file.getSize()).isZero();
            assertThat(file.getAtomicity()).isFalse();
            file.writeAtAll(r, new byte[] {(byte) r}, 1, Datatype.BYTE);
            assertThat(file.getView()).isEqualTo(FileView.BYTES);
          }
          assertThat(Ints.bytes(rank, "same")).containsExactly(0, 1);
        });
  }

  @Test
  void directionsThatWereNotOpenedAreRefused() throws IOException {
    run(
        2,
        rank -> {
          byte[] one = new byte[1];
          File.open(rank, "way", Ints.CREATE).close();
          try (File in = File.open(rank, "way", Amode.RDONLY);
              File out = File.open(rank, "way", Amode.WRONLY)) {
            for (AccessCall call : AccessCall.ALL) {
              assertFails(
                  call.write() ? ErrorClass.READ_ONLY : ErrorClass.ACCESS,
                  () ->
                      call.made()
                          .by(
                              call.write() ? in : out,
                              0,
                              MemorySegment.ofArray(one),
                              1,
                              Datatype.BYTE));
            }
            assertFails(ErrorClass.READ_ONLY, () -> in.setSize(3));
            assertFails(ErrorClass.READ_ONLY, () -> in.preallocate(3));
          }
        });
  }

  @Test
  void wrongArgumentsOfEveryCallFailAndMoveNothing() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "wrong", Ints.CREATE)) {
            file.setView(0, INT, INT, Ints.NATIVE);
            file.seek(2, Whence.SEEK_SET);
            file.seekShared(3, Whence.SEEK_SET);
            MemorySegment room = Ints.of(4, _ -> 5);
            for (AccessCall call : AccessCall.ALL) {
              AccessCall.Made made = call.made();
              assertFails(ErrorClass.COUNT, () -> made.by(file, 0, room, -1, INT));
              assertFails(ErrorClass.COUNT, () -> made.by(file, 0, room, 1L << 62, INT));
              assertFails(ErrorClass.BUFFER, () -> made.by(file, 0, room, 5, INT));
              assertFails(ErrorClass.IO, () -> made.by(file, 0, room, 3, Datatype.BYTE));
              if (call.where() == Call.Where.OFFSET) {
                assertFails(ErrorClass.ARG, () -> made.by(file, -1, room, 1, INT));
                assertFails(ErrorClass.ARG, () -> made.by(file, 1L << 62, room, 1, INT));
                assertFails(ErrorClass.ARG, () -> made.by(file, Long.MAX_VALUE / 4, room, 2, INT));
              }
              if (!call.write()) {
                assertFails(ErrorClass.BUFFER, () -> made.by(file, 0, room.asReadOnly(), 1, INT));
              }
              if (call.together()) { // only one rank is wrong: the error is everybody's
                long count = rank.number() == 1 ? -1 : 1;
                assertFails(ErrorClass.COUNT, () -> made.by(file, 0, room, count, INT));
              }
              if (call.name()
                  .matches(
                      "i(Read|Write)All|(read|write)AllBegin")) { // keeps the place it was issued
                // with
                assertThat(file.getPosition()).isEqualTo(rank.number() == 1 ? 2 : 3);
                file.seek(2, Whence.SEEK_SET);
              }
            }
            assertThat(file.getPosition()).isEqualTo(2);
            assertThat(file.getPositionShared()).isEqualTo(3);
            assertThat(file.getSize()).isZero();
            assertThat(Ints.in(room)).containsOnly(5);
          }
        });
  }

  @Test
  void memoryOfAConfinedArenaIsRefusedWhereOtherThreadsTouchIt() throws IOException {
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "confined", Ints.CREATE)) {
            MemorySegment mine;
            try (Arena arena = Arena.ofConfined()) {
              mine = arena.allocate(8);
              file.write(mine, 8, Datatype.BYTE);
              MemorySegment confined = mine;
              assertFails(ErrorClass.BUFFER, () -> file.iWrite(confined, 8, Datatype.BYTE));
            }
            assertFails(ErrorClass.BUFFER, () -> file.write(mine, 8, Datatype.BYTE));
          }
        });
  }

  @Test
  void hintsWithImpossibleValuesAreToldAndUnknownOnesIgnored() throws IOException {
    run(
        2,
        rank -> {
          assertFails(
              ErrorClass.INFO_VALUE,
              () -> File.open(rank, "hints", Ints.CREATE, Info.of("cb_nodes", "many")));
          assertFails(
              ErrorClass.INFO_VALUE,
              () -> File.open(rank, "hints", Ints.CREATE, Info.of("start_iodevice", "-1")));
          try (File file = File.open(rank, "hints", Ints.CREATE, Info.of("no_such", "hint"))) {
            Info bad = rank.number() == 0 ? Info.of("cb_buffer_size", "0") : Info.NULL;
            assertFails(ErrorClass.INFO_VALUE, () -> file.setInfo(bad));
          }
        });
  }

  @Test
  void oneRankThatEndsIsAnErrorForTheOthers() throws IOException {
    assertThatThrownBy(
            () ->
                run(
                    2,
                    rank -> {
                      File file = File.open(rank, "ended", Ints.CREATE);
                      if (rank.number() == 0) {
                        throw new IllegalStateException("rank 0 gives up");
                      }
                      assertFails(
                          ErrorClass.PROC_FAILED,
                          () -> file.writeAll(new byte[1], 1, Datatype.BYTE));
                      assertFails(ErrorClass.PROC_FAILED, file::sync);
                    }))
        .hasStackTraceContaining("rank 0 gives up");
  }

  @Test
  void anErrorInsideTryWithResourcesDoesNotHang() throws IOException {
    assertThatThrownBy(
            () ->
                run(
                    2,
                    rank -> {
                      try (File file = File.open(rank, "tried", Ints.CREATE)) {
                        if (rank.number() == 0) {
                          throw new IllegalStateException("rank 0 gives up");
                        }
                        file.writeAll(new byte[1], 1, Datatype.BYTE);
                      }
                    }))
        .isInstanceOf(Exception.class);
  }

  @Test
  void whatMillraceThrowsHasAClass() {
    assertThat(MpiFileException.of(new DiskFullException("full")).getErrorClass())
        .isEqualTo(ErrorClass.NO_SPACE);
    assertThat(MpiFileException.of(new CorruptBlockException("rot")).getErrorClass())
        .isEqualTo(ErrorClass.IO);
    assertThat(MpiFileException.of(new IOException("disk")).getErrorClass())
        .isEqualTo(ErrorClass.IO);
    assertThat(MpiFileException.of(new IllegalStateException("odd")).getErrorClass())
        .isEqualTo(ErrorClass.OTHER);
    for (ErrorCode code : ErrorCode.values()) {
      assertThat(MpiFileException.of(MillraceException.of(code, "x")).getErrorClass()).isNotNull();
    }
  }
}
