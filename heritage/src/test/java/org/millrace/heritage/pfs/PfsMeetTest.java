package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.pfs.Expect.failed;
import static org.millrace.heritage.pfs.Expect.filled;
import static org.millrace.heritage.pfs.Pfs.O_APPEND;
import static org.millrace.heritage.pfs.Pfs.O_CREAT;
import static org.millrace.heritage.pfs.Pfs.O_RDONLY;
import static org.millrace.heritage.pfs.Pfs.O_RDWR;
import static org.millrace.heritage.pfs.Pfs.SEEK_SET;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.heritage.testing.Programs;

/** Clients that open each for itself, in different ways, and meet at setiomode. */
final class PfsMeetTest {

  @TempDir private Path directory;

  @Test
  void clientsThatOpenedDifferentlyMeetAndKeepTheirDirections() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          boolean reader = rank.number() == 2;
          int fd;
          if (rank.number() == 0) {
            fd = pfs.open("pfs.x", O_RDWR | O_CREAT, 0644);
            rank.barrier();
          } else {
            rank.barrier();
            pfs.distribute(100L * rank.number(), 1);
            fd = pfs.open("pfs.x", reader ? O_RDONLY | O_APPEND : O_RDWR, 0);
          }
          pfs.setiomode(fd, IoMode.M_RECORD);
          if (reader) {
            failed(pfs, pfs._cwrite(fd, filled(5, 2), 5), Epfsl.EPFSLREMOTE);
          } else {
            pfs.cwrite(fd, filled(5, rank.number()), 5);
          }
          rank.barrier();
          pfs.setiomode(fd, IoMode.M_GLOBAL);
          pfs.lseek(fd, 0, SEEK_SET);
          byte[] all = new byte[10];
          pfs.cread(fd, all, 10);
          assertThat(all).containsExactly(0, 0, 0, 0, 0, 1, 1, 1, 1, 1);
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void clientsOfWhomSomeAppendDoNotMeet() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int flags = O_RDWR | O_CREAT;
          int fd = pfs.open("pfs.x", rank.number() == 0 ? flags : flags | O_APPEND, 0644);
          failed(pfs, pfs._setiomode(fd, IoMode.M_SYNC), Epfsl.EPFSLMIXIO);
          assertThat(pfs.iomode(fd)).isEqualTo(IoMode.M_UNIX);
          pfs.cwrite(fd, filled(5, 1), 5);
          assertThat(pfs.close(fd)).isZero();
        });
  }
}
