package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.error.DeadlineException;
import org.millrace.error.DeadlockException;
import org.millrace.error.MixedCallException;
import org.millrace.error.RankFailedException;
import org.millrace.plan.collective.Costs;
import org.millrace.testing.Seeds;

/** Ranks that come to meetings by way of each other, in virtual time. */
final class TreeMeetingsTest {

  private static final int RANKS = 9;
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1000 * MILLI;
  private static final int PART = 100;

  /** A run of some ranks in virtual time. */
  private record Stage(SeededEnv env, LossyTopology topology, int fanOut) {

    static Stage of(long seed, int fanOut, double losses) {
      SeededEnv env = SeededEnv.of(seed);
      return new Stage(env, new LossyTopology(env, losses, MILLI), fanOut);
    }

    void run(int ranks, Program program) {
      List<Disk> disks = List.of(new MemoryDisk("a"), new MemoryDisk("b"));
      ClusterOptions options =
          ClusterOptions.DEFAULT
              .withCacheBytesPerNode(4 << 20)
              .withLimits(new Limits(30 * SECOND, 60 * SECOND, 8, 1 << 20, fanOut));
      env.run(
          () -> {
            try (RunningCluster cluster =
                RunningCluster.over(
                    topology.topology(), new MemoryDisk("c"), disks, options, Costs.DEFAULT)) {
              cluster.run(ranks, program);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }

    void sleep(long nanos) {
      LossyTopology.sleep(env, nanos);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 30, 100})
  void theCoordinatorHearsOfACallFromAFewRanksHoweverManyThereAre(int ranks) {
    Stage stage = Stage.of(1, 4, 0);
    int calls = 10;
    int[] before = new int[2];
    stage.run(
        ranks,
        rank -> {
          rank.barrier();
          if (rank.number() == 0) {
            before[0] = stage.topology.inPerson.get();
            before[1] = stage.topology.together.get();
          }
          for (int i = 0; i < calls; i++) {
            assertThat(rank.allGather(rank.number()))
                .isEqualTo(LongStream.range(0, ranks).boxed().toList());
          }
          if (rank.number() == 0) {
            int alone = ranks == 5 ? 3 : 0; // of four parts one has two ranks
            assertThat(stage.topology.inPerson.get() - before[0])
                .isBetween(0, alone * calls + alone);
            assertThat(stage.topology.together.get() - before[1])
                .isBetween((4 - alone) * (calls - 1), (4 - alone) * (calls + 1));
          }
        });
  }

  /** Late ranks, lost messages, operations under way: all calls give what they should. */
  @Test
  void whatIsLostBetweenRanksChangesNothing() {
    int[] inPerson = new int[1];
    for (long seed : Seeds.of(30)) {
      Stage stage = Stage.of(seed, 1 + (int) Math.floorMod(seed, 4L), 0.15);
      stage.run(RANKS, rank -> runCalls(stage, rank, seed));
      inPerson[0] += stage.topology.inPerson.get();
    }
    assertThat(inPerson[0]).as("ranks that came in person").isGreaterThan(30 * RANKS);
  }

  private static void runCalls(Stage stage, Rank rank, long seed) throws IOException {
    Random same = new Random(seed);
    Random own = new Random(seed + rank.number());
    SharedFile file = rank.open("f", OpenOptions.create());
    for (int i = 0; i < 8; i++) {
      if (own.nextInt(6) == 0) {
        stage.sleep(own.nextLong(150 * MILLI));
      }
      long mine = same.nextInt(100) + 1000L * rank.number();
      int which = same.nextInt(5);
      switch (which) {
        case 0 -> rank.barrier();
        case 1 -> {
          long base = mine - 1000L * rank.number();
          assertThat(rank.allGather(mine))
              .as(Seeds.replay(seed))
              .isEqualTo(LongStream.range(0, RANKS).map(r -> base + 1000 * r).boxed().toList());
        }
        case 2 -> writeAndRead(file, rank, (byte) (i + 1));
        case 3 -> asynchronously(file, rank, (byte) (i + 101));
        default -> ordered(file, rank, seed);
      }
    }
    file.close();
  }

  private static byte[] filled(int rank, byte round) {
    byte[] bytes = new byte[PART];
    Arrays.fill(bytes, (byte) (round + 3 * rank));
    return bytes;
  }

  private static void writeAndRead(SharedFile file, Rank rank, byte round) throws IOException {
    file.at((long) PART * rank.number()).all().write(Memory.of(filled(rank.number(), round)));
    byte[] all = new byte[PART * RANKS];
    assertThat(file.at(0).all().read(Memory.of(all))).isEqualTo(all.length);
    checkAll(all, round);
  }

  private static void checkAll(byte[] all, byte round) {
    for (int r = 0; r < RANKS; r++) {
      assertThat(Arrays.copyOfRange(all, PART * r, PART * (r + 1))).isEqualTo(filled(r, round));
    }
  }

  private static void asynchronously(SharedFile file, Rank rank, byte round) throws IOException {
    List<CompletableFuture<Long>> under = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      under.add(
          file.at((long) PART * rank.number())
              .all()
              .writeAsync(Memory.of(MemorySegment.ofArray(filled(rank.number(), round)))));
    }
    for (CompletableFuture<Long> one : under) {
      assertThat(rank.await(one)).isEqualTo(PART);
    }
    byte[] all = new byte[PART * RANKS];
    assertThat(file.at(0).all().read(Memory.of(all))).isEqualTo(all.length);
    checkAll(all, round);
  }

  private static void ordered(SharedFile file, Rank rank, long seed) throws IOException {
    file.seekShared(rank.size());
    List<Long> values = rank.allGather(file.sharedPosition());
    assertThat(values).as(Seeds.replay(seed)).containsOnly((long) RANKS);
  }

  @Test
  void aRankThatEndsAtAnyPlaceIsNamedToAll() {
    for (int lost = 0; lost < RANKS; lost++) {
      for (long seed : Seeds.of(3)) {
        Stage stage = Stage.of(seed, 2, seed % 2 == 0 ? 0 : 0.1);
        int gone = lost;
        Throwable failure =
            catchThrowable(
                () ->
                    stage.run(
                        RANKS,
                        rank -> {
                          rank.barrier();
                          if (rank.number() == gone) {
                            stage.sleep(seed % 3 * 30 * MILLI);
                            throw new IllegalStateException("gone");
                          }
                          Throwable e = catchThrowable(rank::barrier);
                          assertThat(e)
                              .isInstanceOf(RankFailedException.class)
                              .hasMessageContaining("rank " + gone + " of group")
                              .hasMessageContaining("gone");
                          Rank rest = rank.regroup();
                          assertThat(rest.allGather(1)).hasSize(RANKS - 1);
                        }));
        assertThat(failure)
            .as(Seeds.replay(seed))
            .hasMessageContaining("gone")
            .hasNoSuppressedExceptions();
      }
    }
  }

  @Test
  void aRankThatCallsSomethingElseIsNamedToAllAndTheNextCallWorks() {
    for (int other = 0; other < RANKS; other++) {
      Stage stage = Stage.of(other, 2, 0);
      int odd = other;
      stage.run(
          RANKS,
          rank -> {
            Throwable e =
                catchThrowable(
                    () -> {
                      if (rank.number() == odd) {
                        rank.allGather(1);
                      } else {
                        rank.barrier();
                      }
                    });
            assertThat(e)
                .isInstanceOf(MixedCallException.class)
                .hasMessageContaining("rank " + odd + " called allGather")
                .hasMessageContaining("called barrier");
            assertThat(rank.allGather(rank.number())).hasSize(RANKS);
          });
    }
  }

  @Test
  void aDeadlineNamesThoseWhoDidNotComeAndNobodyElse() {
    for (int late = 0; late < RANKS; late++) {
      Stage stage = Stage.of(late, 2, 0);
      int absent = late;
      int last = (late + 4) % RANKS;
      stage.run(
          RANKS,
          rank -> {
            rank.barrier();
            if (rank.number() == absent) {
              stage.sleep(70 * SECOND);
            } else if (rank.number() == last) {
              stage.sleep(60 * SECOND - 5 * MILLI); // comes when the others have almost given up
            }
            Throwable e = catchThrowable(rank::barrier);
            assertThat(e)
                .isInstanceOf(DeadlineException.class)
                .message()
                .endsWith("; rank " + absent + " did not arrive");
            rank.barrier();
          });
    }
  }

  @Test
  void whoHasWaitedForAWhileIsSeenAndCirclesThroughTheTreeAreFound() {
    Stage stage = Stage.of(5, 2, 0);
    stage.run(
        RANKS,
        rank -> {
          rank.barrier();
          if (rank.number() == 4) {
            try (var _ = rank.lock("mutex")) {
              stage.sleep(20 * MILLI);
              assertThat(catchThrowable(rank::barrier)).isInstanceOf(DeadlockException.class);
            }
          } else if (rank.number() == 7) {
            stage.sleep(10 * MILLI);
            Throwable e = catchThrowable(() -> rank.lock("mutex"));
            assertThat(e).isInstanceOf(DeadlockException.class);
            assertThat(catchThrowable(rank::barrier)).isInstanceOf(DeadlockException.class);
          } else {
            assertThat(catchThrowable(rank::barrier)).isInstanceOf(DeadlockException.class);
          }
          rank.barrier();
        });
  }

  @Test
  void groupsThatWereSplitHaveTreesOfTheirOwn() {
    for (long seed : Seeds.of(10)) {
      Stage stage = Stage.of(seed, 2, 0.1);
      stage.run(
          RANKS,
          rank -> {
            Rank half = rank.split(rank.number() % 2, 0);
            for (int i = 0; i < 5; i++) {
              List<Long> odd = IntStream.range(0, RANKS).mapToObj(r -> (long) r).toList();
              assertThat(half.allGather(rank.number()))
                  .isEqualTo(odd.stream().filter(r -> r % 2 == rank.number() % 2).toList());
              rank.barrier();
            }
          });
    }
  }
}
