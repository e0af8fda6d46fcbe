package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.pfs.Expect.NEW;
import static org.millrace.heritage.pfs.Expect.failed;
import static org.millrace.heritage.pfs.Expect.filled;
import static org.millrace.heritage.pfs.Pfs.O_CREAT;
import static org.millrace.heritage.pfs.Pfs.O_EXCL;
import static org.millrace.heritage.pfs.Pfs.O_RDONLY;
import static org.millrace.heritage.pfs.Pfs.O_RDWR;
import static org.millrace.heritage.pfs.Pfs.SEEK_CUR;
import static org.millrace.heritage.pfs.Pfs.SEEK_SET;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.Administration.NodeReport;
import org.millrace.heritage.testing.Programs;

/**
 * The cases with known answers that calls of PFS can say, by their numbers. Cases 6, 25, 26 and 27
 * are in {@link PfsModesTest} and {@link PfsRulesTest} too, exhaustively.
 */
final class PfsCasesTest {

  @TempDir private Path directory;

  private static int[] ints(int from, int count) {
    return IntStream.range(from, from + count).toArray();
  }

  @Test
  void case1EachRankWritesItsOwnFile() throws IOException {
    int n = 16_384;
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int[] mine = ints(rank.number() * 100_000, n);
          int fd = pfs.open(directory + "/case1.###", NEW, 0644);
          assertThat(pfs.write(fd, MemorySegment.ofArray(mine))).isEqualTo(4L * n);
          assertThat(pfs.close(fd)).isZero();
          int again = pfs.open(directory + "/case1.###", O_RDONLY, 0);
          int[] read = new int[n];
          assertThat(pfs.read(again, MemorySegment.ofArray(read))).isEqualTo(4L * n);
          assertThat(read).isEqualTo(mine);
          assertThat(pfs.close(again)).isZero();
        });
  }

  @Test
  void case2ManyOutstandingOperations() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.open("case2.pfs." + rank.number(), NEW, 0644);
          for (int round = 0; round < 2; round++) { // 32 in two turns: 20 is the limit
            long[] ids = new long[16];
            for (int i = 0; i < 16; i++) {
              int at = (16 * round + i) * 512;
              pfs.lseek(fd, 4L * at, SEEK_SET);
              ids[i] = pfs.iwrite(fd, MemorySegment.ofArray(ints(at, 512)), 2048);
            }
            Arrays.stream(ids).forEach(id -> assertThat(pfs._iowait(id)).isZero());
          }
          pfs.lseek(fd, 0, SEEK_SET);
          int[][] read = new int[32][512];
          for (int round = 0; round < 2; round++) {
            long[] ids = new long[16];
            for (int i = 0; i < 16; i++) {
              ids[i] = pfs.iread(fd, MemorySegment.ofArray(read[16 * round + i]), 2048);
            }
            for (int i = 15; i >= 0; i--) {
              pfs.iowait(ids[i]);
            }
          }
          for (int i = 0; i < 32; i++) {
            assertThat(read[i]).isEqualTo(ints(i * 512, 512));
          }
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void case3CreateExclusive() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int flags = O_RDWR | O_CREAT | O_EXCL;
          for (int again = 0; again < 2; again++) {
            int fd = pfs.gopen("case3", flags, IoMode.M_LOG, 0644);
            assertThat(pfs.close(fd)).isZero();
            failed(pfs, pfs._gopen("case3", flags, IoMode.M_LOG, 0644), Epfsl.EPFSLREMOTE);
            rank.barrier();
            if (rank.number() == 0) {
              rank.names().remove("case3");
            }
            rank.barrier();
          }
        });
  }

  @Test
  void case5OrderedWritesAndReads() throws IOException {
    Programs.run(
        directory,
        4,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("case5", NEW, IoMode.M_SYNC, 0644);
          int[] mine = ints(200 * rank.number(), 200);
          pfs.cwrite(fd, MemorySegment.ofArray(mine), 800);
          pfs.lseek(fd, 0, SEEK_SET);
          int[] read = new int[200];
          pfs.cread(fd, MemorySegment.ofArray(read), 800);
          assertThat(read).isEqualTo(mine);
          pfs.lseek(fd, 0, SEEK_SET);
          int count = rank.number() % 2 == 0 ? 0 : 8;
          assertThat(pfs._cread(fd, MemorySegment.ofArray(read), count)).isEqualTo(count);
          if (count > 0) {
            int first = rank.number() == 1 ? 0 : 2;
            assertThat(read).startsWith(first, first + 1);
          }
          pfs.setiomode(fd, IoMode.M_GLOBAL);
          pfs.lseek(fd, 0, SEEK_SET);
          int[] all = new int[800];
          pfs.cread(fd, MemorySegment.ofArray(all), 3200);
          assertThat(all).isEqualTo(ints(0, 800));
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void case25OneDiskReadServesAllInGlobal() throws IOException {
    int length = 1 << 20;
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("case25", NEW, IoMode.M_UNIX, 0644);
          pfs.cwrite(fd, filled(length, 5), length);
          assertThat(pfs.close(fd)).isZero();
        });
    Programs.watch(
        directory,
        6,
        1,
        ClusterOptions.DEFAULT,
        (rank, cluster) -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("case25", O_RDONLY, IoMode.M_GLOBAL, 0);
          byte[] read = new byte[length];
          pfs.cread(fd, read, length);
          assertThat(read).isEqualTo(filled(length, 5));
          failed(
              pfs,
              pfs._cread(fd, read, rank.number() == 5 ? 1 : 2),
              Epfsl.EPFSLMIXIO); // differing lengths, on all ranks
          assertThat(pfs.lseek(fd, 0, SEEK_CUR)).isEqualTo(length);
          assertThat(pfs.close(fd)).isZero();
          if (rank.number() == 0) {
            NodeReport report = cluster.administration().reports().getFirst();
            Map<String, Long> counters = report.counters();
            assertThat(counters.get("bytesRead"))
                .as("%s", counters)
                .isBetween(1L, length + 65_536L);
          }
        });
  }
}
