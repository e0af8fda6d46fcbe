package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.pfs.Expect.NEW;
import static org.millrace.heritage.pfs.Expect.filled;
import static org.millrace.heritage.pfs.Expect.late;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.heritage.testing.Programs;

/** Which calls wait for all clients, in each mode. */
final class PfsSynchronizingTest {

  @TempDir private Path directory;

  /** A call that may wait. */
  private enum Call {
    CREAD,
    CWRITE,
    LSEEK,
    CLOSE,
    SETIOMODE,
    LSIZE,
    ISEOF,
    IOMODE,
    IREAD,
    IWRITE,
    OPEN;

    boolean synchronizes(IoMode mode) {
      boolean together = mode == IoMode.M_SYNC || mode == IoMode.M_GLOBAL;
      return switch (this) {
        case CREAD, CWRITE -> together;
        case LSEEK -> together || mode == IoMode.M_RECORD;
        case CLOSE -> mode != IoMode.M_UNIX && mode != IoMode.M_ASYNC;
        case SETIOMODE -> true;
        case LSIZE, ISEOF, IOMODE, IREAD, IWRITE, OPEN -> false;
      };
    }

    /** Returns an id that is to be waited for, or -1. */
    long make(Pfs pfs, int fd, IoMode mode) throws IOException {
      byte[] ten = filled(10, 1);
      switch (this) {
        case CREAD -> pfs._cread(fd, ten, 10);
        case CWRITE -> pfs.cwrite(fd, ten, 10);
        case LSEEK -> pfs.eseek(fd, 3, Pfs.SEEK_SET);
        case CLOSE -> assertThat(pfs.close(fd)).isZero();
        case SETIOMODE -> pfs.setiomode(fd, mode);
        case LSIZE -> pfs.lsize(fd, 20, Pfs.SIZE_SET);
        case ISEOF -> pfs.iseof(fd);
        case IOMODE -> pfs.iomode(fd);
        case IREAD -> {
          return pfs.iread(fd, ten, 10);
        }
        case IWRITE -> {
          return pfs.iwrite(fd, ten, 10);
        }
        case OPEN -> assertThat(pfs.close(pfs.open("pfs.other", NEW, 0644))).isZero();
      }
      return -1;
    }
  }

  @ParameterizedTest
  @EnumSource(IoMode.class)
  void callsThatSynchronizeReturnWhenAllClientsHaveCome(IoMode mode) throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          for (Call call : Call.values()) {
            if (call.synchronizes(mode)) {
              int fd = pfs.gopen("pfs.x", NEW, mode, 0644);
              String came = "came." + call;
              late(rank, 1);
              if (rank.number() == 1) {
                rank.names().makeDirectory(came);
              }
              call.make(pfs, fd, mode);
              assertThat(rank.names().list("")).as("%s in %s", call, mode).contains(came + "/");
              rank.barrier();
              if (call != Call.CLOSE) {
                assertThat(pfs.close(fd)).isZero();
              }
              rank.barrier();
            }
          }
        });
  }

  @ParameterizedTest
  @EnumSource(IoMode.class)
  void callsThatDoNotSynchronizeReturnAtOnce(IoMode mode) throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          for (Call call : Call.values()) {
            if (!call.synchronizes(mode)) {
              int fd = pfs.gopen("pfs.x", NEW, mode, 0644);
              if (rank.number() == 1) {
                rank.receive(0, 1); // comes when the other's call has returned
              }
              long id = call.make(pfs, fd, mode);
              if (rank.number() == 0) {
                rank.send(1, 1, new byte[0]);
              }
              if (id >= 0) {
                pfs.iowait(id);
              }
              if (call != Call.CLOSE) {
                assertThat(pfs.close(fd)).isZero();
              }
              rank.barrier();
            }
          }
        });
  }

  @Test
  void gopenReturnsWhenAllClientsHaveCome() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          for (int again = 0; again < 2; again++) { // the first time they find each other
            String came = "came" + again;
            late(rank, 2);
            if (rank.number() == 2) {
              rank.names().makeDirectory(came);
            }
            int fd = pfs.gopen("pfs.x", NEW, IoMode.M_LOG, 0644);
            assertThat(rank.names().list("")).contains(came + "/");
            assertThat(pfs.iomode(fd)).isEqualTo(IoMode.M_LOG);
            assertThat(pfs.close(fd)).isZero();
          }
        });
  }

  @Test
  void iseofWaitsForOwnOperations() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.x", NEW, IoMode.M_SYNC, 0644);
          late(rank, 1);
          long id = pfs.iwrite(fd, filled(10, 1), 10);
          assertThat(pfs.iseof(fd)).isEqualTo(1);
          assertThat(pfs.iodone(id)).isEqualTo(1); // it was waited for
          assertThat(pfs.close(fd)).isZero();
        });
  }
}
