package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.millrace.heritage.mpiio.FileErrorsTest.assertFails;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Program;
import org.millrace.heritage.testing.Programs;

/** Who hears of errors: handlers of files, and of files that are not open. */
final class ErrhandlerTest {

  private static final Datatype BYTE = Datatype.BYTE;

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 2, program);
  }

  @Test
  void filesReturnErrorsUnlessToldOtherwise() throws IOException {
    run(
        1,
        rank -> {
          Environment environment = new Environment();
          assertThat(environment.getErrhandler()).isSameAs(Errhandler.ERRORS_RETURN);
          try (File file = environment.open(rank, "usual", Ints.CREATE, Info.NULL)) {
            assertThat(file.getErrhandler()).isSameAs(Errhandler.ERRORS_RETURN);
            assertFails(ErrorClass.ARG, () -> file.seek(-1, Whence.SEEK_SET));
            file.seek(1, Whence.SEEK_SET); // and the program goes on
          }
        });
  }

  @Test
  void aHandlerOfAFileHearsOfEveryErrorOfItOnceAndTheCallThrows() throws IOException {
    run(
        2,
        rank -> {
          List<ErrorClass> heard = new ArrayList<>();
          try (File file = File.open(rank, "heard", Ints.CREATE);
              File other = File.open(rank, "other", Ints.CREATE)) {
            Errhandler mine =
                (about, error) -> {
                  assertThat(about).isSameAs(file);
                  heard.add(error.getErrorClass());
                };
            file.setErrhandler(mine);
            assertThat(file.getErrhandler()).isSameAs(mine);
            assertFails(ErrorClass.ARG, () -> file.seek(-1, Whence.SEEK_SET));
            assertFails(ErrorClass.COUNT, () -> file.write(new byte[1], -1, BYTE));
            assertFails(ErrorClass.BUFFER, () -> file.iRead(new byte[1], 2, BYTE));
            long count = rank.number() == 1 ? -1 : 1; // what one rank has wrong all hear of
            assertFails(ErrorClass.COUNT, () -> file.writeAll(new byte[1], count, BYTE));
            assertFails(ErrorClass.ARG, () -> file.setSize(-1));
            assertFails(ErrorClass.IO, () -> file.readAllEnd(new byte[1]));
            assertFails(ErrorClass.INFO_VALUE, () -> file.setInfo(Info.of("cb_nodes", "x")));
            assertFails(ErrorClass.ARG, () -> file.setView(-1, BYTE, BYTE, Ints.NATIVE));
            assertFails(ErrorClass.ARG, () -> other.seek(-1, Whence.SEEK_SET));
            file.callErrhandler(ErrorClass.OTHER);
          }
          assertThat(heard)
              .containsExactly(
                  ErrorClass.ARG,
                  ErrorClass.COUNT,
                  ErrorClass.BUFFER,
                  ErrorClass.COUNT,
                  ErrorClass.ARG,
                  ErrorClass.IO,
                  ErrorClass.INFO_VALUE,
                  ErrorClass.ARG,
                  ErrorClass.OTHER);
        });
  }

  @Test
  void aHandlerHearsOfWhatARequestTells() throws IOException {
    run(
        2,
        rank -> {
          List<ErrorClass> heard = new ArrayList<>();
          try (File file = File.open(rank, "requests", Ints.CREATE)) {
            file.setErrhandler((_, error) -> heard.add(error.getErrorClass()));
            if (rank.number() == 1) {
              assertFails(ErrorClass.COUNT, () -> file.iWriteAll(new byte[1], -1, BYTE));
            } else {
              Request request = file.iWriteAll(new byte[1], 1, BYTE);
              assertThat(heard).isEmpty();
              assertFails(ErrorClass.COUNT, request::waitStatus);
            }
            assertThat(heard).containsExactly(ErrorClass.COUNT);
          }
        });
  }

  @Test
  void openingAndDeletingAskTheHandlerOfNoFileAndNewFilesInheritIt() throws IOException {
    run(
        2,
        rank -> {
          List<ErrorClass> heard = new ArrayList<>();
          Environment environment = new Environment();
          Errhandler mine =
              (about, error) -> {
                assertThat(about == null).isEqualTo(error.getErrorClass() != ErrorClass.ARG);
                heard.add(error.getErrorClass());
              };
          environment.setErrhandler(mine);
          assertFails(
              ErrorClass.NO_SUCH_FILE,
              () -> environment.open(rank, "missing", Amode.RDONLY, Info.NULL));
          assertFails(
              ErrorClass.NO_SUCH_FILE, () -> environment.delete(rank, "missing", Info.NULL));
          try (File file = environment.open(rank, "found", Ints.CREATE, Info.NULL)) {
            assertThat(file.getErrhandler()).isSameAs(mine);
            assertFails(ErrorClass.ARG, () -> file.seek(-1, Whence.SEEK_SET));
          }
          assertThat(heard)
              .containsExactly(ErrorClass.NO_SUCH_FILE, ErrorClass.NO_SUCH_FILE, ErrorClass.ARG);
        });
  }

  @Test
  void aFatalErrorEndsTheRankAndTheOthersAreTold() throws IOException {
    for (Errhandler fatal : List.of(Errhandler.ERRORS_ARE_FATAL, Errhandler.ERRORS_ABORT)) {
      assertThatThrownBy(
              () ->
                  run(
                      2,
                      rank -> {
                        File file = File.open(rank, "fatal", Ints.CREATE);
                        if (rank.number() == 0) {
                          file.setErrhandler(fatal);
                          try {
                            file.seek(-1, Whence.SEEK_SET);
                          } catch (IOException | RuntimeException e) {
                            throw new AssertionError("it could be caught", e);
                          }
                        }
                        assertFails(ErrorClass.PROC_FAILED, file::sync);
                      }))
          .hasStackTraceContaining(MpiAbort.class.getName());
    }
  }

  @Test
  void whatAHandlerThrowsTakesTheErrorsPlace() throws IOException {
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "thrown", Ints.CREATE)) {
            file.setErrhandler(
                (_, error) -> {
                  throw new IllegalStateException("mine", error);
                });
            assertThatThrownBy(() -> file.seek(-1, Whence.SEEK_SET))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("mine");
          }
        });
  }
}
