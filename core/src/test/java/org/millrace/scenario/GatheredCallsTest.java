package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.access.group.BlockSpans;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
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
import org.millrace.message.Endpoint;
import org.millrace.message.Lent;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.testing.Seeds;
import org.millrace.testing.WatchedTopology;

/** Small collective calls of ranks of one JVM: who gathers, who passes by, and who fails. */
final class GatheredCallsTest {

  private static final int RANKS = 4;
  private static final int BYTES = 256;
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1000 * MILLI;

  /** So many bytes of a rank are more than the last to arrive moves by itself. */
  private static final int LARGE = 100_000;

  /**
   * Counts who meets at the coordinator, in one place or in one that is said not to be; and notes
   * which threads use blocks that nodes lend, if they do.
   */
  private record Counting(
      Env env, boolean isOnePlace, boolean lends, AtomicInteger meets, Set<Long> users) {

    Counting(Env env, boolean isOnePlace, AtomicInteger meets) {
      this(env, isOnePlace, true, meets, ConcurrentHashMap.newKeySet());
    }

    /** Counts in one place. */
    static Counting of(Env env, boolean lends) {
      return new Counting(env, true, lends, new AtomicInteger(), ConcurrentHashMap.newKeySet());
    }

    WatchedTopology topology() {
      return new WatchedTopology(env, isOnePlace, this::before);
    }

    private Endpoint before(Endpoint endpoint) {
      return new WatchedTopology.Passing(endpoint) {
        @Override
        public void onRequest(Peer who, Message request, Payload payload, ReplyTo replyTo) {
          if (request instanceof CoordinatorRequest.Meet) {
            meets.incrementAndGet();
          }
          super.onRequest(who, request, payload, replyTo);
        }

        @Override
        public @Nullable Lent onLend(Peer from, long key, BlockSpans blocks, boolean write) {
          Lent lent = lends ? super.onLend(from, key, blocks, write) : null;
          return lent == null ? null : new Watched(env, lent, users);
        }
      };
    }
  }

  /** Blocks whose users are noted. */
  private record Watched(Env env, Lent lent, Set<Long> users) implements Lent {

    @Override
    public MemorySegment block(long number) {
      users.add(env.threadNumber());
      return lent.block(number);
    }

    @Override
    public void giveBack(Use use, long bytes, long pieces) {
      lent.giveBack(use, bytes, pieces);
    }
  }

  private interface Body {
    void run(RunningCluster cluster) throws IOException;
  }

  private static ClusterOptions options() {
    return ClusterOptions.DEFAULT
        .withCacheBytesPerNode(4 << 20)
        .withLimits(Limits.DEFAULT.withMeetingNanos(SECOND));
  }

  private static void under(long seed, Counting topology, Body body) {
    SeededEnv env = (SeededEnv) topology.env;
    List<Disk> disks = List.of(new MemoryDisk("a"), new MemoryDisk("b"));
    env.run(
        () -> {
          try (RunningCluster cluster =
              RunningCluster.over(
                  topology.topology(), new MemoryDisk("c"), disks, options(), Costs.DEFAULT)) {
            body.run(cluster);
          } catch (IOException e) {
            throw new AssertionError(Seeds.replay(seed), e);
          }
        });
  }

  /** How many ranks met in ten reads and ten writes of a strided view, all bytes in memory. */
  private static int meetsOfLargeCalls(Counting topology, long seed) {
    int[] counted = {0};
    under(
        seed,
        topology,
        cluster ->
            cluster.run(
                RANKS,
                rank -> {
                  try (SharedFile file = rank.open("f", OpenOptions.create())) {
                    file.setView(new View(100L * rank.number(), Pattern.run(100), 100L * RANKS));
                    byte[] mine = BadInputs.content(LARGE, rank.number());
                    file.at(0).all().write(Memory.of(mine));
                    rank.barrier();
                    int before = topology.meets.get();
                    rank.barrier();
                    for (int i = 0; i < 10; i++) {
                      mine = BadInputs.content(LARGE, 100L * i + rank.number());
                      assertThat(file.at(0).all().write(Memory.of(mine))).isEqualTo(LARGE);
                      byte[] back = new byte[LARGE];
                      assertThat(file.at(0).all().read(Memory.of(back))).isEqualTo(LARGE);
                      assertThat(back).as(Seeds.replay(seed)).isEqualTo(mine);
                    }
                    int own = topology.meets.get();
                    rank.barrier();
                    if (rank.number() == 0) {
                      counted[0] = own - before;
                    }
                  }
                }));
    return counted[0];
  }

  @Test
  void largerCallsAreCarriedOutTogetherIfAllBlocksAreInMemory() {
    Set<Integer> users = new HashSet<>();
    for (long seed : Seeds.of(10)) {
      Counting lending = Counting.of(SeededEnv.of(seed), true);
      assertThat(meetsOfLargeCalls(lending, seed)).isLessThanOrEqualTo(3 * RANKS); // barriers
      users.add(lending.users.size());
    }
    assertThat(users).as("threads that have copied").doesNotContain(0).anyMatch(one -> one > 1);
    Counting control = Counting.of(SeededEnv.of(1), false);
    assertThat(meetsOfLargeCalls(control, 1)).isGreaterThanOrEqualTo(20 * RANKS);
    assertThat(control.users).isEmpty();
  }

  @Test
  void ofRanksThatWriteTheSameBytesTogetherTheHighestIsLast() {
    for (long seed : Seeds.of(10)) {
      Counting topology = Counting.of(SeededEnv.of(seed), true);
      under(
          seed,
          topology,
          cluster ->
              cluster.run(
                  RANKS,
                  rank -> {
                    try (SharedFile file = rank.open("f", OpenOptions.create())) {
                      long start = 1000L * rank.number(); // and all behind is overwritten
                      for (int step = 0; step < 3; step++) {
                        byte[] mine = new byte[3 * LARGE];
                        Arrays.fill(mine, (byte) (10 * step + rank.number()));
                        file.at(start).all().write(Memory.of(mine));
                        byte[] back = new byte[3 * LARGE];
                        file.at(0).all().read(Memory.of(back));
                        for (int i = 0; i < back.length; i++) {
                          int highest = Math.min(RANKS - 1, i / 1000);
                          assertThat(back[i])
                              .as("byte %s, %s", i, Seeds.replay(seed))
                              .isEqualTo((byte) (10 * step + highest));
                        }
                      }
                    }
                  }));
      assertThat(topology.users).isNotEmpty();
    }
  }

  private static void underSeeds(int seeds, Body body) {
    for (long seed : Seeds.of(seeds)) {
      under(seed, new Counting(SeededEnv.of(seed), true, new AtomicInteger()), body);
    }
  }

  private static void sleep(Env env, long nanos) {
    try {
      env.sleep(nanos);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] content(int rank, int step) {
    return BadInputs.content(BYTES, 1000L * step + rank);
  }

  /** How many ranks met at the coordinator in ten reads of a file that is in memory. */
  private static int meetsOfTenReads(boolean onePlace) {
    SeededEnv env = SeededEnv.of(1);
    Counting topology = new Counting(env, onePlace, new AtomicInteger());
    int[] counted = {0};
    under(
        1,
        topology,
        cluster ->
            cluster.run(
                RANKS,
                rank -> {
                  try (SharedFile file = rank.open("f", OpenOptions.create())) {
                    long place = (long) BYTES * rank.number();
                    file.at(place).all().write(Memory.of(content(rank.number(), 0)));
                    rank.barrier();
                    int before = topology.meets.get();
                    rank.barrier();
                    for (int i = 0; i < 10; i++) {
                      byte[] back = new byte[BYTES];
                      assertThat(file.at(place).all().read(Memory.of(back))).isEqualTo(BYTES);
                      assertThat(back).isEqualTo(content(rank.number(), 0));
                    }
                    int own = topology.meets.get();
                    assertThat(file.plansMade())
                        .isLessThanOrEqualTo(3); // a write before its blocks, too
                    rank.barrier();
                    if (rank.number() == 0) {
                      counted[0] = own - before;
                    }
                  }
                }));
    return counted[0];
  }

  @Test
  void smallCallsInMemoryAreDoneByTheLastRankWithoutAMeeting() {
    assertThat(meetsOfTenReads(true)).isLessThanOrEqualTo(2 * RANKS); // barriers alone
    assertThat(meetsOfTenReads(false)).isGreaterThanOrEqualTo(10 * RANKS); // the control
  }

  /** Asynchronous calls and large ones among small ones; every byte is compared. */
  @ParameterizedTest
  @EnumSource(Strategy.class)
  void ranksThatGoOnWithSomethingElseSeeTheSameBytes(Strategy strategy) {
    underSeeds(10, cluster -> cluster.run(RANKS, rank -> mixedSteps(rank, strategy)));
  }

  private static void mixedSteps(Rank rank, Strategy strategy) throws IOException {
    RandomGenerator all = new SplittableRandom(5);
    RandomGenerator own = new SplittableRandom(rank.number());
    Hints hints = Hints.DEFAULT.withStrategy(strategy);
    try (SharedFile file = rank.open("f", OpenOptions.create().withHints(hints))) {
      for (int step = 0; step < 25; step++) {
        int length = all.nextInt(5) == 0 ? 100_000 : BYTES;
        byte[] mine = BadInputs.content(length, 1000L * step + rank.number());
        long place = (long) length * rank.number();
        CompletableFuture<Long> other = null;
        if (own.nextInt(4) == 0) { // pending while the call goes on, on this rank alone
          other = file.at(10_000_000L + rank.number() * 64L).writeAsync(segment(new byte[64]));
        }
        if (all.nextInt(4) == 0 && own.nextBoolean()) {
          assertThat(rank.await(file.at(place).all().writeAsync(segment(mine)))).isEqualTo(length);
        } else {
          assertThat(file.at(place).all().write(Memory.of(mine))).isEqualTo(length);
        }
        int next = (rank.number() + 1) % RANKS;
        byte[] theirs = new byte[length];
        assertThat(file.at((long) length * next).all().read(Memory.of(theirs))).isEqualTo(length);
        assertThat(theirs).isEqualTo(BadInputs.content(length, 1000L * step + next));
        if (other != null) {
          rank.await(other);
        }
      }
    }
  }

  private static Memory segment(byte[] bytes) {
    return Memory.of(MemorySegment.ofArray(bytes));
  }

  @Test
  void ofRanksThatComeLaterThanAnybodyWaitsForAllBytesMove() {
    for (long seed : Seeds.of(20)) {
      SeededEnv env = SeededEnv.of(seed);
      under(
          seed,
          new Counting(env, true, new AtomicInteger()),
          cluster ->
              cluster.run(
                  RANKS,
                  rank -> {
                    RandomGenerator chance = env.random("rank " + rank.number());
                    try (SharedFile file = rank.open("f", OpenOptions.create())) {
                      for (int step = 0; step < 10; step++) {
                        sleep(env, chance.nextLong(120 * MILLI));
                        file.at((long) BYTES * rank.number())
                            .all()
                            .write(Memory.of(content(rank.number(), step)));
                        sleep(env, chance.nextLong(120 * MILLI));
                        byte[] back = new byte[BYTES];
                        int next = (rank.number() + 1) % RANKS;
                        assertThat(file.at((long) BYTES * next).all().read(Memory.of(back)))
                            .isEqualTo(BYTES);
                        assertThat(back).isEqualTo(content(next, step));
                      }
                    }
                  }));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {BYTES, LARGE})
  void aPartThatFailsFailsOnAllRanksAndTheNextCallIsInStep(int length) {
    for (long seed : Seeds.of(20)) {
      SeededEnv env = SeededEnv.of(seed);
      under(
          seed,
          new Counting(env, true, new AtomicInteger()),
          cluster -> {
            Arena arena = Arena.ofShared();
            cluster.run(
                RANKS,
                rank -> {
                  try (SharedFile file = rank.open("f", OpenOptions.create())) {
                    long place = (long) length * rank.number();
                    file.at(place).all().write(Memory.of(BadInputs.content(length, rank.number())));
                    file.at(place).all().write(Memory.of(BadInputs.content(length, rank.number())));
                    MemorySegment mine =
                        rank.number() == 2
                            ? arena.allocate(length)
                            : MemorySegment.ofArray(new byte[length]);
                    if (rank.number() == 0) {
                      sleep(env, 10 * MILLI); // rank 2 is waiting by now
                      arena.close();
                    }
                    MillraceException e =
                        BadInputs.assertFails(
                            ErrorCode.INVALID, () -> file.at(place).all().read(mine), "rank 2");
                    assertThat(e.getSuppressed()).hasSize(rank.number() == 2 ? 1 : 0);
                    byte[] back = new byte[length];
                    assertThat(file.at(place).all().read(Memory.of(back))).isEqualTo(length);
                    assertThat(back).isEqualTo(BadInputs.content(length, rank.number()));
                  }
                });
          });
    }
  }

  @Test
  void aRankThatDiesFailsTheOthers() {
    underSeeds(
        20,
        cluster -> {
          List<Throwable> others = new ArrayList<>();
          Throwable thrown =
              catchThrowable(
                  () ->
                      cluster.run(
                          RANKS,
                          rank -> {
                            SharedFile file = rank.open("f", OpenOptions.create());
                            file.at((long) BYTES * rank.number())
                                .all()
                                .write(Memory.of(content(rank.number(), 0)));
                            if (rank.number() == 1) {
                              throw new IOException("planned");
                            }
                            others.add(
                                catchThrowable(
                                    () -> file.at(0).all().read(Memory.of(new byte[BYTES]))));
                          }));
          assertThat(thrown).hasMessage("planned");
          assertThat(others).hasSize(RANKS - 1);
          assertThat(others)
              .allSatisfy(
                  e ->
                      assertThat(e)
                          .isInstanceOf(RankFailedException.class)
                          .hasMessageContaining("rank 1"));
        });
  }

  @Test
  void whoWaitsInVainFailsAtTheDeadlineOfTheCall() {
    for (long seed : Seeds.of(20)) {
      SeededEnv env = SeededEnv.of(seed);
      under(
          seed,
          new Counting(env, true, new AtomicInteger()),
          cluster ->
              cluster.run(
                  RANKS,
                  rank -> {
                    SharedFile file = rank.open("f", OpenOptions.create());
                    rank.barrier();
                    long start = env.nanoTime();
                    if (rank.number() == 3) {
                      sleep(env, 5 * SECOND);
                    }
                    Throwable e =
                        catchThrowable(() -> file.at(0).all().read(Memory.of(new byte[BYTES])));
                    assertThat(e).isInstanceOf(DeadlineException.class);
                    assertThat(e).hasMessageContaining("rank 3");
                    if (rank.number() != 3) {
                      assertThat(env.nanoTime() - start).isEqualTo(SECOND);
                    }
                  }));
    }
  }

  @Test
  void whoHasWaitedForAWhileIsSeen() {
    SeededEnv env = SeededEnv.of(1);
    under(
        1,
        new Counting(env, true, new AtomicInteger()),
        cluster ->
            cluster.run(
                2,
                rank -> {
                  try (SharedFile file = rank.open("f", OpenOptions.create())) {
                    rank.barrier();
                    if (rank.number() == 1) {
                      sleep(env, 10 * MILLI);
                      assertThat(cluster.waits()).isEmpty();
                      sleep(env, 60 * MILLI);
                      assertThat(cluster.waits()).hasSize(1);
                      assertThat(cluster.waits().getFirst().toString()).contains("readAtAll");
                    }
                    file.at(0).all().read(Memory.of(new byte[BYTES]));
                  }
                }));
  }
}
