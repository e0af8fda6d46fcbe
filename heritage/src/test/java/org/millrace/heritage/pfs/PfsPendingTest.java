package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.pfs.Expect.NEW;
import static org.millrace.heritage.pfs.Expect.filled;
import static org.millrace.heritage.pfs.Expect.late;
import static org.millrace.heritage.pfs.Pfs.O_APPEND;
import static org.millrace.heritage.pfs.Pfs.O_RDONLY;
import static org.millrace.heritage.pfs.Pfs.SEEK_CUR;
import static org.millrace.heritage.pfs.Pfs.SEEK_END;
import static org.millrace.heritage.pfs.Pfs.SEEK_SET;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/** What calls know of operations that are under way, and clients that are late. */
final class PfsPendingTest {

  private static final int LARGE = 400_000; // takes longer than the call behind it

  @TempDir private Path directory;

  /** How often each byte value is in the file. */
  private static int[] counts(Rank rank, Pfs pfs, String name) throws IOException {
    rank.barrier();
    int fd = pfs.gopen(name, O_RDONLY, IoMode.M_UNIX, 0);
    byte[] all = new byte[(int) pfs.lseek(fd, 0, SEEK_END)];
    pfs.lseek(fd, 0, SEEK_SET);
    pfs.cread(fd, all, all.length);
    assertThat(pfs.close(fd)).isZero();
    int[] counts = new int[128];
    for (byte one : all) {
      counts[one]++;
    }
    return counts;
  }

  @ParameterizedTest
  @EnumSource(names = {"M_UNIX", "M_LOG", "M_SYNC", "M_GLOBAL", "M_ASYNC", "M_RECORD"})
  void appendsThatArePendingAtSetiomodeAreNotOverwritten(IoMode mode) throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.log", NEW | O_APPEND, mode, 0644);
          int value = mode == IoMode.M_GLOBAL ? 1 : 1 + rank.number();
          long[] ids = new long[4];
          for (int i = 0; i < ids.length; i++) {
            ids[i] = pfs.iwrite(fd, filled(LARGE, value), LARGE);
          }
          pfs.setiomode(fd, mode == IoMode.M_RECORD ? IoMode.M_ASYNC : IoMode.M_RECORD);
          for (int i = 0; i < 5; i++) {
            pfs.cwrite(fd, filled(100, 11 + rank.number()), 100);
          }
          for (long id : ids) {
            pfs.iowait(id);
          }
          assertThat(pfs.close(fd)).isZero();
          int[] counts = counts(rank, pfs, "pfs.log");
          assertThat(counts[0]).isZero();
          assertThat(counts[1]).isEqualTo(4 * LARGE);
          assertThat(counts[3]).isEqualTo(mode == IoMode.M_GLOBAL ? 0 : 4 * LARGE);
          assertThat(counts[11]).isEqualTo(500);
          assertThat(counts[12]).isEqualTo(500);
          assertThat(counts[13]).isEqualTo(500);
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"M_UNIX", "M_LOG", "M_SYNC", "M_ASYNC"})
  void severalDescriptorsOfOneFileAppendWithoutLoss(IoMode mode) throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int one = pfs.gopen("pfs.log", NEW | O_APPEND, mode, 0644);
          int two = pfs.gopen("pfs.log", Pfs.O_RDWR | O_APPEND, IoMode.M_LOG, 0644);
          for (int i = 0; i < 200; i++) {
            int fd = i % 2 == 0 ? one : two;
            if (i % 3 == 0) {
              pfs.cwrite(fd, filled(5, 1 + rank.number()), 5);
            } else {
              pfs.iowait(pfs.iwrite(fd, filled(5, 1 + rank.number()), 5));
            }
          }
          assertThat(pfs.close(one)).isZero();
          assertThat(pfs.close(two)).isZero();
          assertThat(counts(rank, pfs, "pfs.log")).startsWith(0, 1000, 1000);
        });
  }

  @ParameterizedTest
  @EnumSource(IoMode.class)
  void theEndCountsWhatIsAboutToBeWritten(IoMode mode) throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          for (int round = 0; round < 5; round++) {
            int fd = pfs.gopen("pfs.end", NEW, mode, 0644);
            long id = pfs.iwrite(fd, filled(LARGE, 1), LARGE);
            boolean twice = mode == IoMode.M_SYNC || mode == IoMode.M_RECORD;
            if (mode == IoMode.M_LOG) { // each knows its own
              assertThat(pfs.lseek(fd, 0, SEEK_END)).isBetween((long) LARGE, 2L * LARGE);
            } else if (mode.mode().seekSynchronizes()) {
              assertThat(pfs.lseek(fd, 0, SEEK_END)).isEqualTo(twice ? 2L * LARGE : LARGE);
            } else {
              assertThat(pfs.lseek(fd, 0, SEEK_END)).isEqualTo(LARGE);
            }
            assertThat(pfs.lsize(fd, 5, Pfs.SIZE_SET)).isGreaterThanOrEqualTo(LARGE);
            assertThat(pfs.iseof(fd)).isIn(0L, 1L);
            pfs.iowait(id);
            assertThat(pfs.close(fd)).isZero();
            rank.barrier();
          }
        });
  }

  @ParameterizedTest
  @EnumSource(IoMode.class)
  void aClientReadsWhatItIsAboutToWrite(IoMode mode) throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.read", NEW, mode, 0644);
          boolean mine = rank.number() == 0 || mode.mode().seekSynchronizes();
          for (int round = 1; mine && round < 6; round++) {
            pfs.lseek(fd, 0, SEEK_SET);
            long first = pfs.iwrite(fd, filled(LARGE, round), LARGE);
            pfs.lseek(fd, 0, SEEK_SET);
            byte[] read = new byte[LARGE];
            long count = pfs._cread(fd, read, LARGE);
            assertThat(count).as(() -> pfs.pfslib_strerror("cread")).isEqualTo(LARGE);
            assertThat(read).containsOnly(round);
            pfs.lseek(fd, 0, SEEK_SET);
            byte[] later = new byte[LARGE];
            long second = pfs.iread(fd, later, LARGE);
            pfs.lseek(fd, 0, SEEK_SET);
            long third = pfs.iwrite(fd, filled(LARGE, round + 50), LARGE);
            pfs.iowait(third);
            pfs.iowait(second);
            pfs.iowait(first);
            if (mode != IoMode.M_GLOBAL) { // there one client writes for all, while others may read
              assertThat(later).containsOnly(round); // as it was when it was asked
            }
          }
          rank.barrier();
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"M_SYNC", "M_GLOBAL"})
  void seekingFromWhereOneIsWorksWithALateClient(IoMode mode) throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.late", NEW, mode, 0644);
          long total = 0;
          for (int round = 0; round < 5; round++) {
            late(rank, round % 3);
            long id = pfs.iwrite(fd, filled(100, 1), 100);
            total += mode == IoMode.M_SYNC ? 300 : 100;
            assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isEqualTo(total);
            pfs.iowait(id);
          }
          late(rank, 1);
          long id = pfs.iwrite(fd, filled(100, 1), 100);
          assertThat(pfs.lseek(fd, 7, SEEK_SET)).isEqualTo(7);
          assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isEqualTo(7); // the write was before
          pfs.iowait(id);
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void setiomodeTakesThePointerFromPendingOperationsOfLateClients() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.mode", NEW, IoMode.M_SYNC, 0644);
          late(rank, 2);
          long id = pfs.iwrite(fd, filled(10, 1), 10);
          pfs.setiomode(fd, IoMode.M_UNIX);
          assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isEqualTo(30);
          pfs.iowait(id);
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void twoSubsequentOperationsOverlap() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.overlap", NEW, IoMode.M_SYNC, 0644);
          int own = pfs.gopen("pfs.own", NEW, IoMode.M_UNIX, 0644);
          if (rank.number() == 0) {
            long waiting = pfs.iwrite(fd, filled(10, 1), 10); // client 1 comes to it later
            long other = pfs.iwrite(own, filled(10, 2), 10);
            pfs.iowait(other); // ends although the one before has not
            assertThat(pfs.iodone(waiting)).isZero();
            rank.barrier();
            pfs.iowait(waiting);
          } else {
            rank.barrier();
            pfs.cwrite(fd, filled(10, 1), 10);
          }
          assertThat(pfs.close(own)).isZero();
          assertThat(pfs.close(fd)).isZero();
        });
  }
}
