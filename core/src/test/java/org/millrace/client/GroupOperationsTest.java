package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.error.DeadlineException;
import org.millrace.error.DeadlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.RankFailedException;

class GroupOperationsTest {

  private static final long SECOND = 1_000_000_000L;

  private static void run(int ranks, Program program) throws IOException {
    run(ranks, ClusterOptions.DEFAULT, program);
  }

  private static void run(int ranks, ClusterOptions options, Program program) throws IOException {
    run(Env.real(), ranks, options, program);
  }

  private static void run(Env env, int ranks, ClusterOptions options, Program program)
      throws IOException {
    var disks = List.<org.millrace.disk.Disk>of(new MemoryDisk("n0"), new MemoryDisk("n1"));
    try (RunningCluster cluster =
        RunningCluster.over(
            env, new MemoryDisk("c"), disks, options.withCacheBytesPerNode(1 << 20))) {
      cluster.run(ranks, program);
    }
  }

  /** In virtual time: limits pass without waiting, and never because the machine is slow. */
  static void runTimed(SeededEnv env, int ranks, ClusterOptions options, Program program) {
    env.run(
        () -> {
          try {
            run(env, ranks, options, program);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private static byte[] bytes(int rank) {
    byte[] bytes = new byte[rank * 3];
    Arrays.fill(bytes, (byte) rank);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void nobodyLeavesABarrierBeforeAllHaveCome(int ranks) throws IOException {
    AtomicInteger come = new AtomicInteger();
    run(
        ranks,
        rank -> {
          for (int i = 1; i <= 20; i++) {
            come.incrementAndGet();
            rank.barrier();
            assertThat(come.get()).isGreaterThanOrEqualTo(i * ranks);
            rank.barrier();
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void broadcastGivesTheRootsBytesToAll(int ranks) throws IOException {
    run(
        ranks,
        rank -> {
          for (int root = 0; root < ranks; root++) {
            assertThat(rank.broadcast(root, bytes(rank.number()))).isEqualTo(bytes(root));
            double[] inPlace = {rank.number(), -rank.number()};
            rank.broadcast(root, MemorySegment.ofArray(inPlace));
            assertThat(inPlace).containsExactly(root, -root);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void gatherAndAllGatherCollectByRankWithAnyLengths(int ranks) throws IOException {
    run(
        ranks,
        rank -> {
          List<byte[]> all = rank.allGather(bytes(rank.number()));
          assertThat(all).hasSize(ranks);
          for (int r = 0; r < ranks; r++) {
            assertThat(all.get(r)).isEqualTo(bytes(r));
          }
          List<byte[]> atRoot = rank.gather(ranks - 1, bytes(rank.number()));
          assertThat(atRoot).hasSize(rank.number() == ranks - 1 ? ranks : 0);
          for (int r = 0; r < atRoot.size(); r++) {
            assertThat(atRoot.get(r)).isEqualTo(bytes(r));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void allToAllTransposes(int ranks) throws IOException {
    run(
        ranks,
        rank -> {
          List<byte[]> parts = new ArrayList<>();
          for (int to = 0; to < ranks; to++) {
            parts.add(new byte[] {(byte) rank.number(), (byte) to});
          }
          List<byte[]> got = rank.allToAll(parts);
          for (int from = 0; from < ranks; from++) {
            assertThat(got.get(from)).containsExactly(from, rank.number());
          }
        });
  }

  @Test
  void messagesBeyondTheMailboxBoundWaitAtTheSenderAndArrive() throws IOException {
    Limits small = new Limits(60 * SECOND, 60 * SECOND, 8, 1000);
    run(
        4,
        ClusterOptions.DEFAULT.withLimits(small),
        rank -> {
          byte[] large = new byte[100_000];
          Arrays.fill(large, (byte) rank.number());
          List<byte[]> got = rank.allToAll(List.of(large, large, large, large));
          for (int from = 0; from < 4; from++) {
            assertThat(got.get(from)).hasSize(large.length).containsOnly(from);
          }
        });
  }

  @Test
  void aMessageWhoseTimeIsUpIsTakenBack() {
    Limits small = new Limits(60 * SECOND, 2 * SECOND, 8, 100);
    AtomicInteger gaveUp = new AtomicInteger();
    SeededEnv env = SeededEnv.of(1);
    runTimed(
        env,
        2,
        ClusterOptions.DEFAULT.withLimits(small),
        rank -> {
          if (rank.number() == 0) {
            byte[] memory = new byte[1000];
            assertThatThrownBy(() -> rank.send(1, 3, memory))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("rank 1");
            Arrays.fill(memory, (byte) 9);
            gaveUp.incrementAndGet();
            rank.send(1, 4, new byte[] {5});
          } else {
            while (gaveUp.get() == 0) {
              env.sleep(SECOND / 10);
            }
            assertThat(rank.receive(0, 4).bytes()).containsExactly(5);
            assertThatThrownBy(() -> rank.receive(0, 3)).isInstanceOf(MillraceException.class);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7})
  void reductionsCombineInOrderOfRank(int ranks) throws IOException {
    run(
        ranks,
        rank -> {
          long n = rank.number();
          // not commutative and not associative: only the order of ranks gives this result
          long expected = 0;
          for (long r = 1; r < ranks; r++) {
            expected = expected * 31 + r;
          }
          assertThat(rank.allReduceLong(n, (a, b) -> a * 31 + b)).isEqualTo(expected);
          assertThat(rank.allReduce(new long[] {n, 1}, (a, b) -> a * 31 + b)[0])
              .isEqualTo(expected);
          long[] atRoot = rank.reduce(0, new long[] {n}, (a, b) -> a * 31 + b);
          assertThat(atRoot).isEqualTo(n == 0 ? new long[] {expected} : new long[0]);
          assertThat(rank.allReduceDouble(0.5 * n, Double::sum))
              .isEqualTo(0.25 * ranks * (ranks - 1));
          assertThat(rank.allReduce(new double[] {n, 2}, Math::max))
              .containsExactly(ranks - 1.0, 2);
          assertThat(rank.allGather(n)).hasSize(ranks).contains(n);
        });
  }

  @Test
  void operationsOfDifferentNamesAreAMixedCallOnAllRanks() throws IOException {
    run(
        3,
        rank -> {
          String name = rank.number() == 1 ? "high" : "sum";
          assertThatThrownBy(() -> rank.allReduce(name, new long[] {1}, Long::sum))
              .isInstanceOf(MixedCallException.class);
          assertThatThrownBy(() -> rank.allReduce(name, new double[] {1}, Double::sum))
              .isInstanceOf(MixedCallException.class);
          assertThat(rank.allReduce("sum", new long[] {1}, Long::sum)).containsExactly(3);
          assertThat(rank.allReduce("sum", new double[] {1}, Double::sum)).containsExactly(3);
        });
  }

  @Test
  void messagesOfOneSenderAndTagKeepTheirOrder() throws IOException {
    run(
        2,
        rank -> {
          if (rank.number() == 0) {
            for (int i = 0; i < 50; i++) {
              rank.send(1, 7, new byte[] {(byte) i});
              rank.send(1, 8, new byte[] {(byte) -i});
            }
          } else {
            for (int i = 0; i < 50; i++) {
              assertThat(rank.receive(0, 8).bytes()).containsExactly(-i);
            }
            for (int i = 0; i < 50; i++) {
              assertThat(rank.receive(Rank.ANY, 7).bytes()).containsExactly(i);
            }
          }
        });
  }

  @Test
  void anyTagTakesWhatComesFirstAndNothingOfTheGroupsOwn() throws IOException {
    run(
        2,
        rank -> {
          if (rank.number() == 0) {
            rank.send(1, 7, new byte[] {1});
            rank.send(1, 3, new byte[] {2});
            rank.gather(1, new byte[] {9}); // under a tag of its own
            rank.send(1, 0, new byte[] {3});
          } else {
            Received first = rank.receive(Rank.ANY, Rank.ANY);
            assertThat(first.tag()).isEqualTo(7);
            assertThat(first.from()).isZero();
            assertThat(rank.receive(0, Rank.ANY).tag()).isEqualTo(3);
            assertThat(rank.gather(1, new byte[] {8}).get(0)).containsExactly(9);
            MemorySegment into = MemorySegment.ofArray(new byte[1]);
            assertThat(rank.receive(0, Rank.ANY, into)).isEqualTo(1);
          }
        });
  }

  @Test
  void receivingIntoMemoryReturnsTheLengthAndRefusesTooLong() throws IOException {
    run(
        2,
        rank -> {
          if (rank.number() == 0) {
            rank.send(1, 0, new byte[] {1, 2, 3});
            rank.send(1, 0, new byte[100]);
          } else {
            try (Arena arena = Arena.ofConfined()) {
              MemorySegment memory = arena.allocate(10);
              assertThat(rank.receive(0, 0, memory)).isEqualTo(3);
              assertThat(memory.get(ValueLayout.JAVA_BYTE, 2)).isEqualTo((byte) 3);
              assertThatThrownBy(() -> rank.receive(0, 0, memory))
                  .isInstanceOf(MillraceException.class)
                  .hasMessageContaining("100");
            }
          }
        });
  }

  @Test
  void splitMakesGroupsByColorInOrderOfKey() throws IOException {
    run(
        6,
        rank -> {
          Rank half = rank.split(rank.number() % 2, -rank.number());
          assertThat(half.size()).isEqualTo(3);
          assertThat(half.number()).isEqualTo(2 - rank.number() / 2);
          long sum = half.allReduceLong(rank.number(), Long::sum);
          assertThat(sum).isEqualTo(rank.number() % 2 == 0 ? 6 : 9);
          half.send((half.number() + 1) % 3, 0, new byte[] {(byte) rank.number()});
          byte[] from = half.receive((half.number() + 2) % 3, 0).bytes();
          assertThat(from[0] % 2).isEqualTo(rank.number() % 2);
          Rank none = rank.split(rank.number() == 0 ? -1 : 0, 0);
          assertThat(none.size()).isEqualTo(rank.number() == 0 ? 1 : 5);
          none.barrier();
        });
  }

  @Test
  void aLockIsHeldByOneRankAtATime() throws IOException {
    AtomicInteger inside = new AtomicInteger();
    AtomicLong entered = new AtomicLong();
    run(
        5,
        rank -> {
          for (int i = 0; i < 50; i++) {
            try (var _ = rank.lock("x")) {
              assertThat(inside.incrementAndGet()).isEqualTo(1);
              entered.incrementAndGet();
              Thread.yield();
              inside.decrementAndGet();
            }
          }
        });
    assertThat(entered.get()).isEqualTo(250);
  }

  @Test
  void ofRanksThatLockEachOtherOutOneGetsDeadlockAndTheOtherItsLock() throws IOException {
    AtomicInteger deadlocks = new AtomicInteger();
    AtomicInteger got = new AtomicInteger();
    run(
        2,
        rank -> {
          String mine = rank.number() == 0 ? "a" : "b";
          String other = rank.number() == 0 ? "b" : "a";
          try (var _ = rank.lock(mine)) {
            rank.barrier();
            try (var _ = rank.lock(other)) {
              got.incrementAndGet();
            }
          } catch (DeadlockException e) {
            deadlocks.incrementAndGet();
          }
        });
    assertThat(deadlocks.get()).isEqualTo(1);
    assertThat(got.get()).isEqualTo(1);
  }

  @Test
  void differentCallsFailOnAllRanksAndTheNextCallWorks() throws IOException {
    run(
        3,
        rank -> {
          assertThatThrownBy(
                  () -> {
                    if (rank.number() == 1) {
                      rank.allGather(5);
                    } else {
                      rank.barrier();
                    }
                  })
              .isInstanceOf(MixedCallException.class)
              .hasMessageContaining("barrier")
              .hasMessageContaining("allGather");
          rank.barrier();
          assertThatThrownBy(() -> rank.broadcast(rank.number(), new byte[1]))
              .isInstanceOf(MixedCallException.class);
          assertThat(rank.allGather(7)).containsOnly(7L);
        });
  }

  @Test
  void aRankThatThrowsEndsTheRunWithItsOwnException() {
    assertThatThrownBy(
            () ->
                run(
                    3,
                    rank -> {
                      if (rank.number() == 1) {
                        throw new IllegalStateException("boom");
                      }
                      rank.barrier();
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("boom")
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .hasSize(2)
                    .allSatisfy(
                        s ->
                            assertThat(s)
                                .isInstanceOf(RankFailedException.class)
                                .hasMessageContaining("rank 1")));
  }

  @Test
  void aRankThatReturnsWhileOthersWaitIsNamed() {
    assertThatThrownBy(
            () ->
                run(
                    3,
                    rank -> {
                      if (rank.number() != 2) {
                        rank.barrier();
                      }
                    }))
        .isInstanceOf(RankFailedException.class)
        .hasMessageContaining("rank 2")
        .hasMessageContaining("barrier");
  }

  @Test
  void aReceiverLearnsThatTheSenderHasEnded() throws IOException {
    run(
        2,
        rank -> {
          if (rank.number() == 0) {
            rank.send(1, 1, new byte[] {9});
          } else {
            assertThatThrownBy(() -> rank.receive(0, 2))
                .isInstanceOf(RankFailedException.class)
                .hasMessageContaining("rank 0");
            assertThat(rank.receive(0, 1).bytes()).containsExactly(9);
            assertThatThrownBy(() -> rank.receive(Rank.ANY, 2))
                .isInstanceOf(RankFailedException.class);
          }
        });
  }

  @Test
  void aMeetingThatDoesNotCompleteFailsOnAllAtTheDeadlineAndNamesWhoIsMissing() {
    AtomicInteger late = new AtomicInteger();
    SeededEnv env = SeededEnv.of(1);
    runTimed(
        env,
        3,
        ClusterOptions.DEFAULT.withLimits(Limits.DEFAULT.withMeetingNanos(2 * SECOND)),
        rank -> {
          if (rank.number() == 0) {
            while (late.get() < 2) {
              env.sleep(SECOND / 10);
            }
            assertThatThrownBy(rank::barrier).isInstanceOf(DeadlineException.class);
          } else {
            assertThatThrownBy(rank::barrier)
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("0");
            late.incrementAndGet();
          }
          rank.barrier();
        });
  }

  @Test
  void wrongArgumentsAreRefusedAtOnce() throws IOException {
    run(
        2,
        rank -> {
          assertThatThrownBy(() -> rank.broadcast(2, new byte[0]))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("0..1");
          assertThatThrownBy(() -> rank.send(-1, 0, new byte[0]))
              .isInstanceOf(IllegalArgumentException.class);
          assertThatThrownBy(() -> rank.send(0, -1, new byte[0]))
              .isInstanceOf(IllegalArgumentException.class);
          assertThatThrownBy(() -> rank.allToAll(List.of()))
              .isInstanceOf(IllegalArgumentException.class);
          rank.barrier();
        });
    assertThatThrownBy(() -> run(0, rank -> {})).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aClosedClusterRefusesToRun() throws IOException {
    RunningCluster cluster =
        RunningCluster.over(
            Env.real(), new MemoryDisk("c"), List.of(new MemoryDisk("n")), ClusterOptions.DEFAULT);
    cluster.close();
    cluster.close();
    assertThatThrownBy(() -> cluster.run(1, rank -> {}))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
  }

  @Test
  void whatFailsOnOneRankFailsOnAllAndSoDoesAnotherCall() throws IOException {
    run(
        3,
        rank -> {
          assertThatThrownBy(
                  () ->
                      rank.together(
                          "part",
                          () -> {
                            if (rank.number() == 1) {
                              throw new MillraceException(ErrorCode.DISK, "no luck");
                            }
                          }))
              .isInstanceOfSatisfying(
                  MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK))
              .hasMessageContaining("no luck");
          assertThatThrownBy(() -> rank.together("call " + rank.number() / 2, () -> {}))
              .isInstanceOf(MixedCallException.class);
          int[] ran = new int[1];
          rank.together("well", () -> ran[0]++);
          assertThat(ran[0]).isEqualTo(1);
        });
  }
}
