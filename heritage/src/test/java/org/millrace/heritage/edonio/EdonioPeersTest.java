package org.millrace.heritage.edonio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.edonio.Edonios.ALL;
import static org.millrace.heritage.edonio.Edonios.BLOCK;
import static org.millrace.heritage.edonio.Fcntl.O_RDONLY;
import static org.millrace.heritage.edonio.Fcntl.O_RDWR;
import static org.millrace.heritage.edonio.Fcntl.O_WRONLY;
import static org.millrace.heritage.edonio.Fcntl.SEEK_SET;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Rank;
import org.millrace.heritage.edonio.EdonioException.Reason;
import org.millrace.heritage.testing.InOneJvm;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;

/** EDONIO as it was: processor p holds node p. Here in threads of one JVM, over sockets. */
@InOneJvm("its ranks are over sockets in any world")
final class EdonioPeersTest {

  private static final int BLOCKS = 8;

  @TempDir private Path directory;

  private void onPeers(int ranks, Edonios.Body body) throws Exception {
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      Launch launch = new Launch("test", "job", r, ranks);
      FutureTask<Void> task =
          new FutureTask<>(
              () -> {
                try (ProcessRank peer =
                    ProcessRank.asPeer(launch, directory, ranks, ProcessRankOptions.DEFAULT)) {
                  peer.run(
                      rank -> {
                        try (Edonio io = new Edonio(rank)) {
                          io.do_nio(rank.number(), rank.size());
                          body.run(io, rank);
                        }
                      });
                }
                return null;
              });
      Thread.ofPlatform().daemon().start(task);
      tasks.add(task);
    }
    for (FutureTask<Void> task : tasks) {
      task.get();
    }
  }

  private static void readTwice(Edonio io, int flags) throws IOException {
    int fd = io.do_open("f", flags, ALL);
    for (int round = 0; round < 2; round++) {
      io.do_lseek(fd, 0, SEEK_SET);
      for (int b = 0; b < BLOCKS; b++) {
        byte[] got = new byte[BLOCK];
        io.do_read(fd, got);
        assertThat(got).startsWith(b + 1).endsWith(b + 1);
      }
    }
    io.do_close(fd);
  }

  private static void write(Edonio io, Rank rank) throws IOException {
    int fd = io.do_open("f", O_WRONLY, ALL);
    for (int b = rank.number(); b < BLOCKS; b += rank.size()) {
      byte[] block = new byte[BLOCK];
      block[0] = (byte) (b + 1);
      block[BLOCK - 1] = (byte) (b + 1);
      io.do_lseek(fd, (long) b * BLOCK, SEEK_SET);
      io.do_write(fd, block);
    }
    io.do_close(fd);
  }

  @Test
  void modesMeanTheSameAsInOneJvm() throws Exception {
    onPeers(
        2,
        (io, rank) -> {
          io.do_close(io.do_open("readable", O_RDWR, 0444));
          Edonios.fails(Reason.NOT_PERMITTED, () -> io.do_open("readable", O_WRONLY, ALL));
          Edonios.fails(Reason.NOT_PERMITTED, () -> io.do_open("readable", O_RDWR, ALL));
          io.do_close(io.do_open("readable", O_RDONLY, 0));
          io.do_close(io.do_open("writable", O_RDWR, 0222));
          Edonios.fails(Reason.NOT_PERMITTED, () -> io.do_open("writable", O_RDONLY, ALL));
          io.do_close(io.do_open("writable", O_WRONLY, 0));
          io.do_gsync();
          if (rank.number() == 0) {
            rank.names().remove("readable"); // removing asks the folder, as ever
          }
        });
  }

  @Test
  void theDataCacheHoldsOnlyRemoteBlocksOfReadOnlyFiles() throws Exception {
    onPeers(
        2,
        (io, rank) -> {
          write(io, rank);
          readTwice(io, O_RDWR);
          assertThat(rank.dataCache().misses()).as("it may be written").isZero();
          readTwice(io, O_RDONLY);
          assertThat(rank.dataCache().misses()).as("the other's half, once").isEqualTo(BLOCKS / 2);
          assertThat(rank.dataCache().hits()).as("and once again").isEqualTo(BLOCKS / 2);
          assertThat(rank.dataCache().bytes()).as("closed").isZero();
          assertThat(io.do_csize(0, 1024)).as("peers belong to who started them").isZero();
          readTwice(io, O_RDONLY);
          assertThat(rank.dataCache().misses()).as("there is none").isEqualTo(BLOCKS / 2);
        });
  }
}
