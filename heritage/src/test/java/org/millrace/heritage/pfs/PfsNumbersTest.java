package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.pfs.Expect.NEW;
import static org.millrace.heritage.pfs.Expect.failed;
import static org.millrace.heritage.pfs.Expect.fails;
import static org.millrace.heritage.pfs.Expect.filled;
import static org.millrace.heritage.pfs.Pfs.SEEK_SET;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.heritage.testing.Programs;

/** How clients are numbered, and what comes of numbers that do not fit. */
final class PfsNumbersTest {

  @TempDir private Path directory;

  @Test
  void anyNumberingOfTheRanksWorks() throws IOException {
    for (List<Integer> numbers :
        List.of(List.of(0, 2, 1), List.of(2, 1, 0), List.of(1, 2, 0), List.of(0, 1, 2))) {
      Programs.run(
          directory,
          3,
          2,
          rank -> {
            int mine = numbers.get(rank.number());
            Pfs pfs = Pfs.pfslib_init(rank, "pfsd", 3, mine);
            int fd = pfs.gopen("pfs.x", NEW, IoMode.M_SYNC, 0644);
            pfs.cwrite(fd, filled(1, 1 + mine), 1);
            pfs.lseek(fd, 0, SEEK_SET);
            pfs.setiomode(fd, IoMode.M_GLOBAL);
            byte[] all = new byte[3];
            pfs.cread(fd, all, 3);
            assertThat(all).containsExactly(1, 2, 3); // in order of the clients' numbers
            assertThat(pfs.close(fd)).isZero();
            int apart = pfs.open("pfs.x", Pfs.O_RDWR, 0);
            pfs.setiomode(apart, IoMode.M_RECORD);
            byte[] one = new byte[1];
            pfs.cread(apart, one, 1);
            assertThat(one).containsExactly(1 + mine);
            assertThat(pfs.close(apart)).isZero();
            pfs.close();
          });
    }
  }

  @Test
  void someRanksMayBeAllTheClientsThereAre() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          if (rank.number() == 0) {
            return; // does something else
          }
          Pfs pfs = Pfs.pfslib_init(rank, "pfsd", 2, rank.number() - 1);
          int fd = pfs.gopen("pfs.x", NEW, IoMode.M_RECORD, 0644);
          pfs.cwrite(fd, filled(2, rank.number()), 2);
          assertThat(pfs.close(fd)).isZero();
          assertThat(rank.names().size("pfs.x")).isEqualTo(4);
        });
  }

  @Test
  void clientsThatCountDifferentlyAllFail() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank, "pfsd", 2 + rank.number(), rank.number());
          failed(pfs, pfs._gopen("pfs.x", NEW, IoMode.M_SYNC, 0644), Epfsl.EPFSLREMOTE);
          rank.barrier();
          Pfs right = Pfs.pfslib_init(rank);
          int fd = right.gopen("pfs.x", NEW, IoMode.M_SYNC, 0644);
          assertThat(right.close(fd)).isZero();
        });
  }

  @Test
  void clientsThatHaveOneNumberAllFail() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank, "pfsd", 2, 1);
          failed(pfs, pfs._gopen("pfs.x", NEW, IoMode.M_SYNC, 0644), Epfsl.EPFSLINVAL);
          rank.barrier();
        });
  }

  @Test
  void clientsDoNotWaitForOneThatHasEnded() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          if (rank.number() == 1) {
            fails(Epfsl.EPFSLINVAL, () -> Pfs.pfslib_init(rank, "pfsd", 3, 3));
            return; // as the original ended the process
          }
          Pfs pfs = Pfs.pfslib_init(rank);
          failed(pfs, pfs._gopen("pfs.x", NEW, IoMode.M_SYNC, 0644), Epfsl.EPFSLREMOTE);
        });
  }
}
