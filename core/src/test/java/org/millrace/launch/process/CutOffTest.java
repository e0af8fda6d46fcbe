package org.millrace.launch.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.error.RankFailedException;
import org.millrace.launch.Launch;

/** A rank that its launcher ends while it works. */
final class CutOffTest {

  private static final ProcessRankOptions OPTIONS =
      ProcessRankOptions.DEFAULT.withAssembleNanos(300_000_000_000L);

  @TempDir private Path directory;

  @Test
  void rankThatWritesForEverIsEndedAndTheOtherLearnsWhy() throws Exception {
    ClusterLocation location = new ClusterLocation.In(directory);
    try (Server _ = Server.coordinator(directory, 1, ServerOptions.DEFAULT, _ -> {});
        Server _ = Server.node(directory, 0, location, ServerOptions.DEFAULT, _ -> {})) {
      CountDownLatch writing = new CountDownLatch(1);
      FutureTask<ProcessRank> joined =
          new FutureTask<>(
              () -> ProcessRank.join(new Launch("test", "j", 1, 2), location, OPTIONS));
      FutureTask<Void> writer =
          new FutureTask<>(
              () -> {
                joined.run();
                try (ProcessRank one = joined.get()) {
                  one.run(rank -> writeForEver(rank, writing));
                }
                return null;
              });
      Thread.ofPlatform().daemon().start(writer);
      try (ProcessRank zero = ProcessRank.join(new Launch("test", "j", 0, 2), location, OPTIONS)) {
        zero.run(
            rank -> {
              rank.open("file", OpenOptions.create()).close();
              writing.await();
              joined.get().cutOff("its launcher said so");
              assertThatThrownBy(rank::barrier)
                  .isInstanceOf(RankFailedException.class)
                  .hasMessageContaining("its launcher said so");
            });
      }
      assertThatThrownBy(writer::get)
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(IOException.class);
      assertThat(joined.isDone()).isTrue();
    }
  }

  private static void writeForEver(Rank rank, CountDownLatch writing) throws IOException {
    rank.open("file", OpenOptions.create()).close();
    SharedFile own = rank.alone().open("own", OpenOptions.create());
    while (true) {
      own.at(0).write(Memory.of(new byte[100]));
      writing.countDown();
    }
  }
}
