package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.Program;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.NodeRequest;
import org.millrace.testing.Seeds;
import org.millrace.testing.WatchedTopology;

/**
 * Who speaks to which strand in a sparse disk-directed call, and that what goes wrong at one node
 * reaches all ranks, those that never spoke to it, too.
 */
final class SparseDirectedTest {

  private static final int RANKS = SparseDirectedCases.RANKS;
  private static final int WANTED = RANKS * SparseDirectedCases.MINE / SparseDirectedCases.UNIT;
  private static final long SECOND = 1_000_000_000L;

  private static void run(Env env, Limits limits, WatchedTopology.Watch watch, Program program)
      throws IOException {
    List<Disk> disks = new ArrayList<>();
    for (int n = 0; n < 3; n++) {
      disks.add(new MemoryDisk("n" + n));
    }
    ClusterOptions options = BadInputs.options().withLimits(limits);
    try (RunningCluster cluster =
        RunningCluster.over(
            WatchedTopology.of(env, watch), new MemoryDisk("c"), disks, options, Costs.DEFAULT)) {
      cluster.run(RANKS, program);
    }
  }

  private static final Limits LONG = new Limits(3600 * SECOND, 3600 * SECOND, 64, 64 << 10);

  @Test
  void aStrandHearsTheRanksThatWantSomethingOfItAndNobodyElse() throws IOException {
    Map<Integer, AtomicInteger> heard = new ConcurrentHashMap<>();
    run(
        Env.real(),
        LONG,
        (_, request) -> {
          if (request instanceof NodeRequest.Direct direct) {
            heard
                .computeIfAbsent(direct.strand().strand(), _ -> new AtomicInteger())
                .incrementAndGet();
            assertThat(direct.strandBytes()).isEqualTo(SparseDirectedCases.UNIT);
          }
        },
        rank -> {
          try (SharedFile file = rank.open("f", SparseDirectedCases.options())) {
            file.setView(SparseDirectedCases.view(rank.number()));
            SparseDirectedCases.write(rank, file, 1);
          }
        });
    assertThat(heard).hasSize(WANTED);
    assertThat(heard.values()).allMatch(requests -> requests.get() == 2);
  }

  @Test
  void aNodeThatFailsFailsTheCallOnRanksThatNeverSpokeToIt() throws IOException {
    AtomicBoolean broken = new AtomicBoolean(true);
    AtomicInteger failed = new AtomicInteger();
    run(
        Env.real(),
        LONG,
        (_, request) -> {
          if (request instanceof NodeRequest.Direct direct
              && direct.strand().strand() == 5
              && broken.get()) {
            throw new MillraceException(ErrorCode.DISK, "strand 5 is broken");
          }
        },
        rank -> {
          try (SharedFile file = rank.open("f", SparseDirectedCases.options())) {
            file.setView(SparseDirectedCases.view(rank.number()));
            assertThat(catchThrowable(() -> SparseDirectedCases.write(rank, file, 1)))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("strand 5 is broken");
            failed.incrementAndGet();
            rank.barrier();
            broken.set(false);
            rank.barrier();
            SparseDirectedCases.write(rank, file, 2); // and the next call goes on
            SparseDirectedCases.read(rank, file, 2);
          }
        });
    assertThat(failed.get()).isEqualTo(RANKS);
  }

  @Test
  void aRankThatEndsBeforeItsPartsAreSentFailsTheCallOnAllOthers() {
    AtomicInteger failed = new AtomicInteger();
    SeededEnv env = SeededEnv.of(1);
    Throwable thrown =
        catchThrowable(
            () ->
                env.run(
                    () -> {
                      try {
                        run(
                            env,
                            LONG,
                            (_, request) -> {
                              if (request instanceof NodeRequest.Direct direct
                                  && direct.rank() == 3) {
                                throw new LinkageError(
                                    "rank 3 dies"); // no exception that a call turns into trouble
                              }
                            },
                            rank -> {
                              SharedFile file = rank.open("f", SparseDirectedCases.options());
                              file.setView(SparseDirectedCases.view(rank.number()));
                              try {
                                SparseDirectedCases.write(rank, file, 1);
                              } catch (RankFailedException e) {
                                failed.incrementAndGet();
                              }
                            });
                      } catch (IOException e) {
                        throw new AssertionError(e);
                      }
                    }));
    assertThat(thrown).hasStackTraceContaining("rank 3 dies");
    assertThat(failed.get()).isEqualTo(RANKS - 1);
  }

  /** The request of one rank to one strand gets lost: who waits there gives up, and all hear it. */
  @Test
  void aPartThatNeverComesFailsTheCallOnAllWhenTimeIsUp() {
    for (long seed : Seeds.of(4)) {
      AtomicInteger failed = new AtomicInteger();
      AtomicBoolean lost = new AtomicBoolean();
      SeededEnv env = SeededEnv.of(seed);
      env.run(
          () -> {
            try {
              run(
                  env,
                  new Limits(20 * SECOND, 30 * SECOND, 64, 64 << 10),
                  (_, request) -> {
                    if (request instanceof NodeRequest.Direct direct
                        && direct.rank() == 2
                        && direct.strand().strand() == 1
                        && !lost.getAndSet(true)) {
                      throw new WatchedTopology.Lost();
                    }
                  },
                  rank -> {
                    try (SharedFile file = rank.open("f", SparseDirectedCases.options())) {
                      file.setView(SparseDirectedCases.view(rank.number()));
                      Throwable error =
                          catchThrowable(() -> SparseDirectedCases.write(rank, file, 1));
                      assertThat(error).isInstanceOf(DeadlineException.class);
                      failed.incrementAndGet();
                    }
                  });
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      assertThat(failed.get()).as(Seeds.replay(seed)).isEqualTo(RANKS);
    }
  }
}
