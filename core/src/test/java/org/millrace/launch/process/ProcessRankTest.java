package org.millrace.launch.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.Administration;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.CoordinatorAddress;
import org.millrace.cluster.RunningCluster;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.disk.RunFolder;
import org.millrace.error.RankFailedException;
import org.millrace.launch.Launch;
import org.millrace.testing.Eventually;
import org.millrace.wire.Address;

/** Ranks that reach each other as processes do; here as threads of one JVM, over sockets. */
final class ProcessRankTest {

  private static final ProcessRankOptions OPTIONS =
      ProcessRankOptions.DEFAULT.withAssembleNanos(300_000_000_000L);

  @TempDir private Path directory;

  private static FutureTask<Void> start(Callable<Void> body) {
    FutureTask<Void> task = new FutureTask<>(body);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  private List<FutureTask<Void>> startPeers(String job, int ranks, int nodes, Program program) {
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      Launch launch = new Launch("test", job, r, ranks);
      tasks.add(
          start(
              () -> {
                try (ProcessRank launched = ProcessRank.asPeer(launch, directory, nodes, OPTIONS)) {
                  launched.run(program);
                }
                return null;
              }));
    }
    return tasks;
  }

  private static void await(List<FutureTask<Void>> tasks) throws Exception {
    for (FutureTask<Void> task : tasks) {
      task.get();
    }
  }

  private static void writeAndReadAll(Rank rank) throws IOException {
    int bytes = 200_000;
    try (SharedFile file = rank.open("f", OpenOptions.create())) {
      byte[] mine = new byte[bytes];
      Arrays.fill(mine, (byte) (rank.number() + 1));
      file.at((long) bytes * rank.number()).write(Memory.of(mine));
      rank.barrier();
      byte[] all = new byte[bytes * rank.size()];
      assertThat(file.at(0).read(Memory.of(all))).isEqualTo(all.length);
      for (int i = 0; i < all.length; i++) {
        assertThat(all[i]).isEqualTo((byte) (i / bytes + 1));
      }
    }
    List<byte[]> gathered = rank.gather(0, new byte[] {(byte) rank.number()});
    assertThat(gathered).hasSize(rank.number() == 0 ? rank.size() : 0);
  }

  @Test
  void peersAreTheClusterAndALaterJobFindsItsFiles() throws Exception {
    await(startPeers("first", 3, 3, ProcessRankTest::writeAndReadAll));
    await(
        startPeers(
            "second",
            2,
            1, // more are there, and all are needed
            rank -> {
              try (SharedFile file = rank.open("f", OpenOptions.read())) {
                assertThat(file.size()).isEqualTo(600_000);
              }
            }));
    assertThat(CoordinatorAddress.read(RunFolder.of(directory))).isEmpty();
  }

  @Test
  void whatAKilledJobLeftMisleadsNobody() throws Exception {
    RunFolder folder = RunFolder.make(directory, false);
    Address nobody = new Address.Unix(folder.file("nobody").toString());
    new CoordinatorAddress(List.of(nobody), 1, "killed", "").write(folder);
    await(startPeers("next", 2, 2, ProcessRankTest::writeAndReadAll));
  }

  @Test
  void aRankThatThrowsFailsTheOthers() {
    List<FutureTask<Void>> tasks =
        startPeers(
            "job",
            3,
            3,
            rank -> {
              if (rank.number() == 2) {
                throw new IOException("no more");
              }
              rank.barrier();
            });
    for (int r = 0; r < 2; r++) {
      assertThatThrownBy(tasks.get(r)::get)
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOf(RankFailedException.class)
          .hasMessageContaining("rank 2")
          .hasMessageContaining("no more");
    }
    assertThatThrownBy(tasks.get(2)::get).cause().hasMessage("no more");
  }

  @Test
  void ranksMayUseServersElsewhere() throws Exception {
    try (Server _ = Server.coordinator(directory, 1, ServerOptions.DEFAULT, _ -> {});
        Server _ =
            Server.node(
                directory, 0, new ClusterLocation.In(directory), ServerOptions.DEFAULT, _ -> {})) {
      List<FutureTask<Void>> tasks = new ArrayList<>();
      for (int r = 0; r < 3; r++) {
        Launch launch = new Launch("test", "job", r, 3);
        tasks.add(
            start(
                () -> {
                  try (ProcessRank launched =
                      ProcessRank.join(launch, new ClusterLocation.In(directory), OPTIONS)) {
                    launched.run(ProcessRankTest::writeAndReadAll);
                  }
                  return null;
                }));
      }
      await(tasks);
    }
  }

  @Test
  void aHalfFormedGroupNamesTheMissing() {
    Launch launch = new Launch("test", "half", 0, 3);
    ProcessRankOptions hasty = OPTIONS.withAssembleNanos(200_000_000L);
    assertThatThrownBy(() -> ProcessRank.asPeer(launch, directory, 1, hasty))
        .isInstanceOf(RankFailedException.class)
        .hasMessageContaining("ranks 1-2 of 3");
    Launch late = new Launch("test", "half", 1, 3);
    assertThatThrownBy(() -> ProcessRank.asPeer(late, directory, 1, hasty))
        .hasMessageContaining("rank 0 of job half has not started");
  }

  /** The process of rank 0 holds the coordinator, which tells the others why the job failed. */
  @Test
  void rankZeroStaysUntilTheOthersHaveHeardWhyTheJobFailed() throws Exception {
    long waitNanos = 1_000_000_000L;
    while (!seesAJobFail("half" + waitNanos, waitNanos)) {
      waitNanos *= 2; // the machine is busy: the job failed before anybody could look
    }
  }

  private boolean seesAJobFail(String job, long waitNanos) throws Exception {
    Launch launch = new Launch("test", job, 0, 3);
    FutureTask<Void> first =
        start(
            () -> {
              ProcessRankOptions hasty = OPTIONS.withAssembleNanos(waitNanos);
              ProcessRank.asPeer(launch, directory, 1, hasty).close();
              return null;
            });
    boolean seen = false;
    Eventually.holds(
        "rank 0 serves the coordinator", () -> first.isDone() || isServed(RunFolder.of(directory)));
    try (RunningCluster other =
        RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT)) {
      Administration asks = other.administration();
      while (!seen && !first.isDone()) {
        seen = !asks.status().groups().isEmpty();
      }
      Eventually.holds("the job has failed", () -> asks.status().groups().isEmpty());
      for (int i = 0; i < 50; i++) {
        asks.status(); // as a rank that hears of it late
        LockSupport.parkNanos(5_000_000);
      }
    } catch (IOException e) {
      if (seen) {
        throw e;
      }
    }
    assertThatThrownBy(first::get).cause().hasMessageContaining("ranks 1-2 of 3");
    return seen;
  }

  private static boolean isServed(RunFolder folder) throws IOException {
    return CoordinatorAddress.read(folder).isPresent();
  }
}
