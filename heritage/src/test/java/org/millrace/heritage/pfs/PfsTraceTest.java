package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.millrace.heritage.pfs.Expect.NEW;
import static org.millrace.heritage.pfs.Expect.failed;
import static org.millrace.heritage.pfs.Expect.filled;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.Administration;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.heritage.testing.InOneJvm;
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
          pfs.traceTo("trace");
          int fd = pfs.gopen("pfs.data", NEW, IoMode.M_RECORD, 0644);
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
          assertThat(all).hasSize(3 * 305);
          for (int r = 0; r < 3; r++) {
            int number = r;
            List<PfsTrace.Entry> its = all.stream().filter(e -> e.rank() == number).toList();
            for (int i = 0; i < 300; i++) {
              PfsTrace.Entry entry = its.get(1 + i);
              assertThat(entry.call()).isEqualTo("cwrite");
              assertThat(entry.offset()).isEqualTo(30L * i);
              assertThat(entry.bytes()).isEqualTo(10);
              assertThat(entry.error()).isEqualTo(Epfsl.NONE);
              assertThat(entry.file()).isEqualTo("pfs.data");
              assertThat(entry.beginNanos()).isNotNegative();
              assertThat(entry.durationNanos()).isPositive();
            }
            assertThat(its.getFirst().call()).isEqualTo("gopen");
            assertThat(its.getFirst().file()).isEqualTo("pfs.data");
            assertThat(its.get(301).error()).isEqualTo(Epfsl.EPFSLIOLEN);
            assertThat(its.get(302).call()).isEqualTo("iread");
            assertThat(its.get(303).call()).isEqualTo("iowait");
            assertThat(its.get(303).bytes()).isEqualTo(10);
            assertThat(its.get(304).call()).isEqualTo("lseek");
          }
        });
  }

  @Test
  void whatHappensBeforeSomethingElseHasTheLowerTime() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          pfs.traceTo("trace");
          int fd = pfs.gopen("pfs.data", NEW, IoMode.M_UNIX, 0644);
          for (int turn = 0; turn < 60; turn++) { // one after the other, by messages
            if (turn % 3 == rank.number()) {
              if (turn > 0) {
                rank.receive((turn - 1) % 3, 1);
              }
              pfs.lseek(fd, turn, Pfs.SEEK_SET);
              rank.send((turn + 1) % 3, 1, new byte[0]);
            }
          }
          if (rank.number() == 0) {
            rank.receive(2, 1);
          }
          assertThat(pfs.close(fd)).isZero();
          pfs.traceEnd();
          if (rank.number() == 0) {
            List<PfsTrace.Entry> seeks =
                PfsTrace.read(rank, "trace").stream()
                    .filter(entry -> entry.call().equals("lseek"))
                    .toList();
            for (int turn = 0; turn < 60; turn++) {
              assertThat(seeks.get(turn).rank()).as("turn %s", turn).isEqualTo(turn % 3);
            }
            for (int turn = 1; turn < 60; turn++) {
              PfsTrace.Entry before = seeks.get(turn - 1);
              assertThat(seeks.get(turn).beginNanos())
                  .isGreaterThanOrEqualTo(before.beginNanos() + before.durationNanos());
            }
          }
        });
  }

  private interface Body {
    void run(Rank rank, Administration administration) throws IOException;
  }

  private void runWithAdministration(Body body) throws IOException {
    var place = new ClusterLocation.In(directory);
    try (Server _ = Server.coordinator(directory, 1, ServerOptions.DEFAULT, _ -> {});
        Server _ = Server.node(directory, 0, place, ServerOptions.DEFAULT, _ -> {});
        RunningCluster cluster =
            RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT)) {
      cluster.run(2, rank -> body.run(rank, cluster.administration()));
    }
  }

  private static void reset(Rank rank, Administration administration, String path)
      throws IOException {
    rank.barrier();
    if (rank.number() == 0) {
      administration.reset(List.of(path));
    }
    rank.barrier();
  }

  @Test
  @InOneJvm("it starts servers of its own")
  void aCallIsMadeAndRecordedEvenIfNobodyKnowsThePosition() throws IOException {
    runWithAdministration(
        (rank, administration) -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.data", NEW, IoMode.M_SYNC, 0644);
          pfs.traceTo("trace");
          reset(rank, administration, "pfs.data");
          failed(pfs, pfs._cwrite(fd, filled(10, 1), 10), Epfsl.EPFSLBADFH);
          pfs.traceEnd();
          if (rank.number() == 0) {
            List<PfsTrace.Entry> all = PfsTrace.read(rank, "trace");
            assertThat(all).extracting(PfsTrace.Entry::call).containsExactly("cwrite", "cwrite");
            assertThat(all).extracting(PfsTrace.Entry::offset).containsOnly(-1L);
            assertThat(all).extracting(PfsTrace.Entry::error).containsOnly(Epfsl.EPFSLBADFH);
          }
        });
  }

  @Test
  @InOneJvm("it starts servers of its own")
  void aTraceThatCannotBeWrittenFailsNoCallButItsEnd() throws IOException {
    runWithAdministration(
        (rank, administration) -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.data", NEW, IoMode.M_RECORD, 0644);
          pfs.traceTo("trace");
          reset(rank, administration, "trace");
          for (int i = 0; i < 600; i++) { // more than one piece
            pfs.cwrite(fd, filled(10, 1), 10);
          }
          // nodes that have heard of the reset refuse the writes, else the coordinator the close
          assertThatThrownBy(pfs::traceEnd)
              .isInstanceOfSatisfying(
                  MillraceException.class,
                  e -> assertThat(e.code()).isIn(ErrorCode.CLOSED, ErrorCode.NOT_PERMITTED));
          pfs.cwrite(fd, filled(10, 1), 10);
          assertThat(pfs.close(fd)).isZero();
          assertThat(rank.names().size("pfs.data")).isEqualTo(2 * 601 * 10);
        });
  }
}
