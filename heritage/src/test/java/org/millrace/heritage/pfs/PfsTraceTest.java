package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.pfs.Expect.NEW;
import static org.millrace.heritage.pfs.Expect.filled;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Mode;
import org.millrace.heritage.testing.Programs;

/** Traces of all ranks in one file, read at one point. */
final class PfsTraceTest {

  @TempDir private Path directory;

  @Test
  void everyCallOfEveryRankIsInOneFile() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.data", NEW, Mode.M_RECORD, 0644);
          pfs.traceTo("trace");
          for (int i = 0; i < 300; i++) { // more than one piece of the log for each
            pfs.cwrite(fd, filled(10, 1), 10);
          }
          pfs._cread(fd, new byte[10], Pfs.MAX_IO_BYTES + 1);
          pfs.iowait(pfs.iread(fd, new byte[10], 10));
          pfs.lseek(fd, 0, Pfs.SEEK_SET);
          pfs.traceEnd();
          pfs.close(fd);
          if (rank.number() != 1) {
            return;
          }
          List<PfsTrace.Entry> all = PfsTrace.read(rank, "trace");
          assertThat(all).isSortedAccordingTo(Comparator.comparingLong(PfsTrace.Entry::beginNanos));
          assertThat(all).hasSize(3 * 303);
          for (int r = 0; r < 3; r++) {
            int number = r;
            List<PfsTrace.Entry> its = all.stream().filter(e -> e.rank() == number).toList();
            for (int i = 0; i < 300; i++) {
              PfsTrace.Entry entry = its.get(i);
              assertThat(entry.call()).isEqualTo("cwrite");
              assertThat(entry.offset()).isEqualTo(30L * i);
              assertThat(entry.bytes()).isEqualTo(10);
              assertThat(entry.error()).isEqualTo(Epfsl.NONE);
              assertThat(entry.file()).isEqualTo("pfs.data");
              assertThat(entry.beginNanos()).isNotNegative();
              assertThat(entry.durationNanos()).isPositive();
            }
            assertThat(its.get(300).error()).isEqualTo(Epfsl.EPFSLIOLEN);
            assertThat(its.get(301).call()).isEqualTo("iread");
            assertThat(its.get(302).call()).isEqualTo("lseek");
          }
        });
  }
}
