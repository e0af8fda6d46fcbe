package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.pfs.Expect.NEW;
import static org.millrace.heritage.pfs.Expect.failed;
import static org.millrace.heritage.pfs.Expect.fails;
import static org.millrace.heritage.pfs.Expect.filled;
import static org.millrace.heritage.pfs.Pfs.O_RDONLY;
import static org.millrace.heritage.pfs.Pfs.SEEK_SET;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.heritage.testing.InOneJvm;
import org.millrace.heritage.testing.Programs;

/** Errors that come from the servers or from other processes. */
final class PfsServerErrorsTest {

  @TempDir private Path directory;

  private Server node() throws IOException {
    return Server.node(
        directory, 0, new ClusterLocation.In(directory), ServerOptions.DEFAULT, _ -> {});
  }

  @Test
  @InOneJvm("it starts servers of its own")
  void aFileThatWasResetIsABadHandle() throws IOException {
    try (Server _ = Server.coordinator(directory, 1, ServerOptions.DEFAULT, _ -> {});
        Server _ = node();
        RunningCluster cluster =
            RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT)) {
      cluster.run(
          2,
          rank -> {
            Pfs pfs = Pfs.pfslib_init(rank);
            byte[] ten = filled(10, 1);
            int sync = pfs.gopen("pfs.a", NEW, IoMode.M_SYNC, 0644);
            pfs.cwrite(sync, ten, 10);
            int log = pfs.gopen("pfs.a", O_RDONLY, IoMode.M_LOG, 0);
            int async = pfs.gopen("pfs.a", O_RDONLY, IoMode.M_ASYNC, 0);
            rank.barrier();
            if (rank.number() == 0) {
              assertThat(cluster.administration().reset(List.of("pfs.a"))).isEqualTo(3);
            }
            rank.barrier();
            failed(pfs, pfs._cwrite(sync, ten, 10), Epfsl.EPFSLBADFH);
            failed(pfs, pfs._setiomode(sync, IoMode.M_LOG), Epfsl.EPFSLBADFH);
            failed(pfs, pfs.lseek(sync, 0, SEEK_SET), Epfsl.EPFSLBADFH);
            failed(pfs, pfs._iowait(pfs.iwrite(sync, ten, 10)), Epfsl.EPFSLBADFH);
            failed(pfs, pfs._iseof(log), Epfsl.EPFSLBADFH);
            while (pfs._cread(async, ten, 0) >= 0 && pfs._cread(async, ten, 10) >= 0) {
              pfs.lseek(async, 0, SEEK_SET); // nodes ask every second what was reset
            }
            assertThat(pfs.errno()).isEqualTo(Epfsl.EPFSLBADFH);
            failed(pfs, pfs._iread(async, ten, 10), Epfsl.EPFSLBADFH);
            failed(pfs, pfs._iseof(async), Epfsl.EPFSLBADFH);
            rank.barrier();
            failed(pfs, pfs.close(sync), Epfsl.EPFSLBADFH);
            failed(pfs, pfs.close(sync), Epfsl.EPFSLBADF); // the descriptor is free
            int again = pfs.gopen("pfs.a", O_RDONLY, IoMode.M_GLOBAL, 0);
            byte[] read = new byte[20];
            pfs.cread(again, read, 20);
            assertThat(read).containsOnly(1);
            assertThat(pfs.close(again)).isZero();
          });
    }
  }

  @Test
  @InOneJvm("it starts servers of its own")
  void descriptorsOfFilesThatWereResetAreFreeAgain() throws IOException {
    try (Server _ = Server.coordinator(directory, 1, ServerOptions.DEFAULT, _ -> {});
        Server _ = node();
        RunningCluster cluster =
            RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT)) {
      cluster.run(
          2,
          rank -> {
            Pfs pfs = Pfs.pfslib_init(rank);
            for (int i = 0; i < Pfs.MAX_FILES + 12; i++) {
              IoMode mode = List.of(IoMode.values()).get(i % 6);
              int fd = pfs.gopen("pfs.a", Pfs.O_RDWR | Pfs.O_CREAT, mode, 0644);
              assertThat(fd).isEqualTo(Pfs.FIRST_SHARED);
              pfs.cwrite(fd, filled(10, 1), 10);
              rank.barrier();
              if (rank.number() == 0) {
                cluster.administration().reset(List.of());
              }
              rank.barrier();
              if (pfs.close(fd) != 0) {
                assertThat(pfs.errno()).isEqualTo(Epfsl.EPFSLBADFH);
              }
              failed(pfs, pfs.close(fd), Epfsl.EPFSLBADF);
              rank.barrier();
            }
          });
    }
  }

  @Test
  @InOneJvm("it starts servers of its own")
  void aNodeThatIsGoneIsNoIoDaemon() throws IOException {
    Server node;
    try (Server _ = Server.coordinator(directory, 1, ServerOptions.DEFAULT, _ -> {});
        Server first = node();
        RunningCluster cluster =
            RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT)) {
      node = first;
      cluster.run(
          1,
          rank -> {
            Pfs pfs = Pfs.pfslib_init(rank);
            int fd = pfs.gopen("pfs.a", NEW, IoMode.M_ASYNC, 0644);
            pfs.cwrite(fd, filled(10, 1), 10);
            node.close();
            failed(pfs, pfs._cread(fd, filled(10, 1), 10), Epfsl.EPFSLNOIOD);
            failed(pfs, pfs._cwrite(fd, filled(10, 1), 10), Epfsl.EPFSLNOIOD);
            failed(pfs, pfs._iread(fd, filled(10, 1), 10), Epfsl.EPFSLNOIOD);
            failed(pfs, pfs._iowait(pfs.iwrite(fd, filled(10, 1), 10)), Epfsl.EPFSLREMOTE);
            failed(pfs, pfs.close(fd), Epfsl.EPFSLREMOTE); // its page has no code for it
          });
    }
  }

  @Test
  void anOperationWhoseMemoryIsGoneTerminatedUnsuccessfully() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.a", NEW, IoMode.M_SYNC, 0644);
          pfs.cwrite(fd, filled(10, 1), 10);
          pfs.lseek(fd, 0, SEEK_SET);
          if (rank.number() == 0) {
            Arena arena = Arena.ofShared();
            MemorySegment memory = arena.allocate(10);
            long id = pfs.iread(fd, memory, 10); // waits for rank 1
            assertThat(pfs.iodone(id)).isZero();
            arena.close();
            rank.barrier();
            fails(Epfsl.EPFSLCHLDEXIT, () -> pfs.iowait(id));
            fails(Epfsl.EPFSLBADID, () -> pfs.iowait(id));
          } else {
            rank.barrier();
            pfs.cread(fd, new byte[10], 10);
          }
          assertThat(pfs.close(fd)).isZero();
        });
  }

  @Test
  void anOperationThatNeedsARankThatEndedIsTerminatedFromOutside() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.a", NEW, IoMode.M_SYNC, 0644);
          pfs.cwrite(fd, filled(10, 1), 10);
          if (rank.number() == 1) {
            return; // without closing
          }
          long id = pfs.iwrite(fd, filled(10, 2), 10);
          failed(pfs, pfs._iowait(id), Epfsl.EPFSLCHLDSIG);
          long other = pfs.iwrite(fd, filled(10, 2), 10);
          fails(
              Epfsl.EPFSLCHLDSIG,
              () -> {
                while (pfs.iodone(other) == 0) {
                  Programs.pause();
                }
              });
          failed(pfs, pfs._cwrite(fd, filled(10, 2), 10), Epfsl.EPFSLREMOTE);
        });
  }

  @Test
  @InOneJvm("its disk becomes full")
  void aFullDiskWritesTooFewData() throws IOException {
    Faults faults = Faults.seeded(1);
    try (RunningCluster cluster =
        RunningCluster.over(
            Env.real(),
            new MemoryDisk("coordinator"),
            List.of(new FaultyDisk(new MemoryDisk("node"), faults)),
            ClusterOptions.DEFAULT.withCacheBytesPerNode(1 << 20))) {
      cluster.run(
          1,
          rank -> {
            Pfs pfs = Pfs.pfslib_init(rank);
            int fd = pfs.gopen("pfs.full", NEW, IoMode.M_UNIX, 0644);
            faults.fullAfter(100_000);
            byte[] much = filled(8 << 20, 1);
            failed(pfs, pfs._cwrite(fd, much, much.length), Epfsl.EPFSLNBYTES);
            faults.fullAfter(Long.MAX_VALUE);
            long written = -1;
            for (int i = 0; i < 1000 && written < 0; i++) { // a write-back may still be failing
              pfs.lseek(fd, 0, SEEK_SET);
              written = pfs._cwrite(fd, much, much.length);
            }
            assertThat(written).isEqualTo(much.length);
            assertThat(pfs.close(fd)).isZero();
            faults.fail(Faults.Operation.READ, _ -> true, 0, Long.MAX_VALUE);
            int read = pfs.gopen("pfs.full", O_RDONLY, IoMode.M_UNIX, 0);
            failed(pfs, pfs._cread(read, much, much.length), Epfsl.EPFSLREMOTE);
            failed(pfs, pfs._iowait(pfs.iread(read, much, much.length)), Epfsl.EPFSLREMOTE);
          });
    }
  }
}
