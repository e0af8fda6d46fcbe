package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.pfs.Expect.NEW;
import static org.millrace.heritage.pfs.Expect.filled;
import static org.millrace.heritage.pfs.Pfs.O_APPEND;
import static org.millrace.heritage.pfs.Pfs.O_CREAT;
import static org.millrace.heritage.pfs.Pfs.O_RDONLY;
import static org.millrace.heritage.pfs.Pfs.O_WRONLY;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/** Programs that open one file. */
final class PfsAppendTest {

  @TempDir private Path directory;

  @Test
  void programsThatAppendOverwriteNothingOfEachOthers() throws IOException {
    Programs.run(
        directory,
        4,
        2,
        rank -> {
          Rank program = rank.split(rank.number() % 2, rank.number());
          Pfs pfs = Pfs.pfslib_init(program);
          int fd = pfs.open("pfs.log", O_WRONLY | O_CREAT | O_APPEND, 0644);
          rank.barrier();
          for (int i = 0; i < 100; i++) {
            if (i % 2 == 0) {
              pfs.cwrite(fd, filled(7, 1 + rank.number()), 7);
            } else {
              pfs.iowait(pfs.iwrite(fd, filled(7, 1 + rank.number()), 7));
            }
          }
          assertThat(pfs.close(fd)).isZero();
          rank.barrier();
          int read = pfs.open("pfs.log", O_RDONLY, 0);
          byte[] all = new byte[4 * 700];
          pfs.cread(read, all, all.length);
          int[] counts = new int[5];
          for (byte one : all) {
            counts[one]++;
          }
          assertThat(counts).containsExactly(0, 700, 700, 700, 700);
          assertThat(pfs._iseof(read)).isEqualTo(1);
          assertThat(pfs.close(read)).isZero();
        });
  }

  @Test
  void longNamesCanBeCutAndShared() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          String name = "pfs" + "x".repeat(250);
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.open(name, NEW, 0644);
          assertThat(fd).as(() -> pfs.pfslib_strerror(name)).isNotNegative();
          pfs.setiomode(fd, IoMode.M_SYNC);
          pfs.cwrite(fd, filled(3, 1), 3);
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @ParameterizedTest
  @EnumSource(IoMode.class)
  void appendingSetsThePointerToTheEnd(IoMode mode) throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.log", NEW | O_APPEND, mode, 0644);
          long end = 0;
          for (long from : new long[] {0, 1000}) { // before the end, and beyond it
            pfs.lseek(fd, from, Pfs.SEEK_SET);
            rank.barrier();
            for (int turn = 0; turn < 2; turn++) {
              boolean mine = turn == rank.number() || mode.mode().seekSynchronizes();
              if (mine && (turn == 0 || !mode.mode().seekSynchronizes())) {
                pfs.cwrite(fd, filled(10, 1), 10);
              }
              rank.barrier();
            }
            end += mode == IoMode.M_GLOBAL ? 10 : 20;
            boolean last = rank.number() == 1 || mode.mode().sharesPointer();
            if (last || mode.mode().seekSynchronizes()) {
              assertThat(pfs.lseek(fd, 0, Pfs.SEEK_CUR)).isEqualTo(end);
              assertThat(pfs._cread(fd, new byte[10], 10)).isZero();
              assertThat(pfs.iseof(fd)).isEqualTo(1);
            }
            rank.barrier();
          }
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void appendsInLogLeaveThePointerBehindTheLast() throws IOException {
    Programs.run(
        directory,
        4,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.log", NEW | O_APPEND, IoMode.M_LOG, 0644);
          for (int round = 1; round <= 20; round++) {
            if (rank.number() == round % 4) {
              pfs.lseek(fd, 1_000_000, Pfs.SEEK_SET); // then all append at the same time
            }
            rank.barrier();
            pfs.cwrite(fd, filled(7, 1), 7);
            rank.barrier();
            assertThat(pfs.lseek(fd, 0, Pfs.SEEK_CUR)).isEqualTo(28L * round);
            rank.barrier();
          }
          assertThat(pfs.close(fd)).isZero();
        });
  }
}
