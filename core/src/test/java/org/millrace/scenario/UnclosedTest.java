package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.DiskFullException;

/** A program that ends without closing its files loses nothing, and is told. */
final class UnclosedTest {

  @TempDir private Path directory;

  @Test
  void whatWasWrittenIsDurableAndTheProgramIsTold() throws IOException {
    List<String> told = new ArrayList<>();
    Logger logger = Logger.getLogger("org.millrace");
    Handler listener = listener(told);
    logger.addHandler(listener);
    logger.setUseParentHandlers(false);
    try (RunningCluster cluster = RunningCluster.embedded(directory, 2, ClusterOptions.DEFAULT)) {
      cluster.run(
          2,
          rank -> {
            rank.open("closed", OpenOptions.create()).close();
            SharedFile file = rank.open("forgotten", OpenOptions.create());
            file.at(rank.number() * 3L).write(Memory.of(new byte[] {1, 2, 3}));
          });
      assertThat(told)
          .containsExactlyInAnyOrder(
              "rank 0 of 2 has ended without closing forgotten; what was written to it is durable",
              "rank 1 of 2 has ended without closing forgotten; what was written to it is durable");
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("forgotten", OpenOptions.read())) {
              byte[] bytes = new byte[6];
              assertThat(file.at(0).read(Memory.of(bytes))).isEqualTo(6);
              assertThat(bytes).containsExactly(1, 2, 3, 1, 2, 3);
            }
            rank.names().removeUnused("forgotten"); // nobody has it open any more
          });
      assertThat(told).hasSize(2);
    } finally {
      logger.removeHandler(listener);
      logger.setUseParentHandlers(true);
    }
  }

  @Test
  void whatCannotBeMadeDurableFailsTheRun() throws IOException {
    Faults faults = Faults.seeded(1);
    try (RunningCluster cluster =
        RunningCluster.over(
            Env.real(),
            new MemoryDisk("coordinator"),
            List.of(new FaultyDisk(new MemoryDisk("node"), faults)),
            ClusterOptions.DEFAULT)) {
      assertThatThrownBy(
              () ->
                  cluster.run(
                      1,
                      rank -> {
                        SharedFile file = rank.open("forgotten", OpenOptions.create());
                        file.at(0).write(Memory.of(new byte[100_000]));
                        faults.fullAfter(0);
                      }))
          .isInstanceOf(DiskFullException.class)
          .hasMessageContaining("rank 0 of 1 has ended without closing forgotten");
      faults.fullAfter(Long.MAX_VALUE);
    }
  }

  private static Handler listener(List<String> told) {
    return new Handler() {
      @Override
      public synchronized void publish(LogRecord one) {
        told.add(one.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }
}
