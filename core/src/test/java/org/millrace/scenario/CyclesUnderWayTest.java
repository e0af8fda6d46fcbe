package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterTopology;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.DeadlockException;
import org.millrace.message.Endpoint;
import org.millrace.message.Peer;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.testing.WatchedTopology;

/** Who waits for whom while operations are under way, and in waits that are no requests. */
final class CyclesUnderWayTest {

  private static final long SECOND = 1_000_000_000L;

  /** An endpoint that takes no put before a gate is opened. */
  private static final class Gated extends WatchedTopology.Passing {

    private final CountDownLatch gate;

    Gated(Endpoint behind, CountDownLatch gate) {
      super(behind);
      this.gate = gate;
    }

    @Override
    public void onPut(Peer from, long key, long offset, MemorySegment source, long at, long length)
        throws IOException {
      try {
        gate.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      super.onPut(from, key, offset, source, at, length);
    }
  }

  private static RunningCluster cluster(CountDownLatch gate, long meetingNanos) throws IOException {
    ClusterOptions options =
        BadInputs.options().withLimits(new Limits(3600 * SECOND, meetingNanos, 8, 1 << 20));
    List<Disk> nodes = List.of(new MemoryDisk("n"));
    ClusterTopology topology = new WatchedTopology(Env.real(), behind -> new Gated(behind, gate));
    return RunningCluster.over(topology, new MemoryDisk("c"), nodes, options, Costs.DEFAULT);
  }

  private static List<CoordinatorReply.Wait> locksAwaited(RunningCluster cluster)
      throws IOException {
    return cluster.waits().stream().filter(wait -> wait.call().contains("mutex")).toList();
  }

  /** Ranks 0 and 1 ask for each other's lock, each with a write under way; rank 2 watches. */
  @Test
  void aCircleOfLocksIsNoticedWhenTheWritesUnderWayHaveEnded() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    Map<Integer, Throwable> told = new ConcurrentHashMap<>();
    try (RunningCluster cluster = cluster(gate, 3600 * SECOND)) {
      cluster.run(
          3,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.create())) {
              if (rank.number() < 2) {
                lockTheOthersToo(rank, file, told);
              } else {
                rank.barrier();
                while (locksAwaited(cluster).size() < 2) {
                  Thread.yield();
                }
                assertThat(told).isEmpty(); // a write may still end: it is not yet known to be one
                gate.countDown();
              }
            }
          });
      assertThat(cluster.waits()).isEmpty();
    }
    assertThat(told.values()).isNotEmpty().hasOnlyElementsOfType(DeadlockException.class);
    assertThat(told.values())
        .allSatisfy(
            e -> assertThat(e).hasMessageContaining("mutex 0").hasMessageContaining("mutex 1"));
  }

  private static void lockTheOthersToo(Rank rank, SharedFile file, Map<Integer, Throwable> told)
      throws IOException {
    int me = rank.number();
    try (var _ = rank.lock("mutex " + me)) {
      CompletableFuture<Long> write =
          file.at(10L * me).writeAsync(MemorySegment.ofArray(new byte[10]));
      rank.barrier();
      Throwable error = catchThrowable(() -> rank.lock("mutex " + (1 - me)).close());
      if (error != null) {
        told.put(me, error);
      }
      assertThat(rank.await(write)).isEqualTo(10);
    }
  }

  /** How rank 0 waits for its operation, which waits for rank 1, which waits for its lock. */
  private interface Wait {
    long await(Rank rank, CompletableFuture<Long> operation) throws IOException;
  }

  private static Map<Integer, Throwable> waitForAnOperationWithALock(long meetingNanos, Wait wait)
      throws IOException {
    CountDownLatch open = new CountDownLatch(0);
    CountDownLatch back = new CountDownLatch(2); // one who ended would be the other's error
    Map<Integer, Throwable> told = new ConcurrentHashMap<>();
    try (RunningCluster cluster = cluster(open, meetingNanos)) {
      cluster.run(
          2,
          rank -> {
            SharedFile file = rank.open("f", OpenOptions.create());
            Throwable error;
            if (rank.number() == 0) {
              var lock = rank.lock("mutex");
              rank.barrier();
              var bytes = MemorySegment.ofArray(new byte[10]);
              error = catchThrowable(() -> wait.await(rank, file.at(0).all().writeAsync(bytes)));
              lock.close();
            } else {
              rank.barrier();
              while (cluster.waits().isEmpty()) {
                Thread.yield(); // until the operation waits for this rank
              }
              error = catchThrowable(() -> rank.lock("mutex").close());
            }
            if (error != null) {
              told.put(rank.number(), error);
            }
            back.countDown();
            awaitAll(back);
          });
    }
    return told;
  }

  private static void awaitAll(CountDownLatch back) throws IOException {
    try {
      back.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void aRankThatWaitsForItsOperationIsPartOfACircle() throws IOException {
    Map<Integer, Throwable> told = waitForAnOperationWithALock(3600 * SECOND, Rank::await);
    assertThat(told.get(0)).isInstanceOf(DeadlockException.class);
    assertThat(told.get(0)).hasMessageContaining("mutex").hasMessageContaining("rank 1");
  }

  /** The control: a wait that the coordinator is not told of lasts until its deadline. */
  @Test
  void aWaitThatNobodyIsToldOfEndsWithItsDeadline() throws IOException {
    Map<Integer, Throwable> told =
        waitForAnOperationWithALock(
            2 * SECOND,
            (_, operation) -> {
              try {
                return operation.join();
              } catch (java.util.concurrent.CompletionException e) {
                throw (IOException) e.getCause();
              }
            });
    // which of the two waits gives up first is a matter of microseconds; the other then misses it
    assertThat(told.values())
        .hasAtLeastOneElementOfType(DeadlineException.class)
        .noneMatch(DeadlockException.class::isInstance);
  }

  @Test
  void aRankThatWaitsForAMessageIsShownUntilItComes() throws IOException {
    try (RunningCluster cluster = cluster(new CountDownLatch(0), 3600 * SECOND)) {
      cluster.run(
          3,
          rank -> {
            if (rank.number() == 0) {
              rank.receive(1, 5);
              rank.receive(Rank.ANY, Rank.ANY);
              rank.barrier();
            } else if (rank.number() == 1) {
              awaitShown(cluster, "receive, tag 5", 1);
              rank.send(0, 5, new byte[1]);
              awaitShown(cluster, "receive", 2);
              rank.send(0, 6, new byte[1]);
              rank.barrier();
            } else {
              rank.barrier();
            }
          });
      assertThat(cluster.waits()).isEmpty();
    }
  }

  private static void awaitShown(RunningCluster cluster, String call, int blockers)
      throws IOException {
    while (cluster.waits().stream()
        .noneMatch(
            wait ->
                wait.rank() == 0
                    && wait.call().equals(call)
                    && wait.waitsFor().size() == blockers)) {
      Thread.yield();
    }
  }
}
