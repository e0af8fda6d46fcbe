package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.millrace.scenario.BadInputs.segment;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;

/**
 * A rank that throws, or just returns, while others wait for it: in every call that waits, the
 * others get an error that names it, at once; what was written stays, and the next program works.
 */
final class BadInputLostRankTest {

  private static final byte[] CONTENT = BadInputs.content(150_000, 2);
  private static final int LOST = 2;

  interface Call {
    void run(Rank rank, SharedFile file) throws Exception;
  }

  /** A call in which the ranks that stay wait for the one that goes. */
  record Waiting(String name, Mode mode, Call call) {
    @Override
    public String toString() {
      return name + " in " + mode;
    }
  }

  private static Waiting of(String name, Mode mode, Call call) {
    return new Waiting(name, mode, call);
  }

  static Stream<Waiting> waiting() {
    byte[] four = new byte[4];
    return Stream.of(
        of("barrier", Mode.INDEPENDENT, (rank, _) -> rank.barrier()),
        of("broadcast", Mode.INDEPENDENT, (rank, _) -> rank.broadcast(LOST, four)),
        of(
            "broadcast in place",
            Mode.INDEPENDENT,
            (rank, _) -> rank.broadcast(LOST, segment(four))),
        of("gather", Mode.INDEPENDENT, (rank, _) -> rank.gather(0, four)),
        of("allGather", Mode.INDEPENDENT, (rank, _) -> rank.allGather(four)),
        of("allGather of a long", Mode.INDEPENDENT, (rank, _) -> rank.allGather(1)),
        of("allToAll", Mode.INDEPENDENT, (rank, _) -> rank.allToAll(List.of(four, four, four))),
        of("allReduce", Mode.INDEPENDENT, (rank, _) -> rank.allReduceLong(1, Long::sum)),
        of("split", Mode.INDEPENDENT, (rank, _) -> rank.split(0, 0)),
        of("open", Mode.INDEPENDENT, (rank, _) -> rank.open("other", OpenOptions.create())),
        of("setMode", Mode.INDEPENDENT, (_, file) -> file.setMode(Mode.SHARED)),
        of("setView", Mode.INDEPENDENT, (_, file) -> file.setView(View.from(8))),
        of("setAtomic", Mode.INDEPENDENT, (_, file) -> file.setAtomic(true)),
        of("seekShared", Mode.INDEPENDENT, (_, file) -> file.seekShared(8)),
        of("resize", Mode.INDEPENDENT, (_, file) -> file.resize(8)),
        of("preallocate", Mode.INDEPENDENT, (_, file) -> file.preallocate(1 << 20)),
        of("preload", Mode.INDEPENDENT, (_, file) -> file.preload()),
        of("readAtAll", Mode.INDEPENDENT, (_, file) -> file.at(0).all().read(segment(four))),
        of("writeAtAll", Mode.INDEPENDENT, (_, file) -> file.at(0).all().write(segment(four))),
        of("readAll", Mode.ATOMIC, (_, file) -> file.all().read(segment(four))),
        of("writeAll", Mode.ATOMIC, (_, file) -> file.all().write(segment(four))),
        of("readOrdered", Mode.INDEPENDENT, (_, file) -> file.ordered().read(segment(four))),
        of("read", Mode.ORDERED, (_, file) -> file.read(Memory.of(four))),
        of("write", Mode.ORDERED, (_, file) -> file.write(Memory.of(four))),
        of("writeAsync", Mode.ORDERED, (_, file) -> file.writeAsync(segment(four)).join()),
        of("seek", Mode.ORDERED, (_, file) -> file.seek(8)),
        of("close", Mode.ORDERED, (_, file) -> file.close()),
        of("seek", Mode.RECORD, (_, file) -> file.seek(8)),
        of("close", Mode.RECORD, (_, file) -> file.close()),
        of("read", Mode.GLOBAL, (_, file) -> file.read(Memory.of(four))),
        of("write", Mode.GLOBAL, (_, file) -> file.write(Memory.of(four))),
        of("close", Mode.GLOBAL, (_, file) -> file.close()),
        of("close", Mode.SHARED, (_, file) -> file.close()));
  }

  /** Returns when all ranks but the lost one wait for others. */
  private static void untilOthersWait(RunningCluster cluster, Rank rank) throws IOException {
    while (cluster.waits().stream().filter(w -> w.rank() != LOST).count() < rank.size() - 1) {
      Thread.yield();
    }
  }

  private static void lose(Waiting waiting, boolean throwing) throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      BadInputs.store(cluster, "file", CONTENT);
      AtomicInteger told = new AtomicInteger();
      Throwable thrown =
          catchThrowable(
              () ->
                  cluster.run(
                      3,
                      rank -> {
                        SharedFile file =
                            rank.open("file", OpenOptions.readWrite().withMode(waiting.mode));
                        rank.barrier();
                        if (rank.number() == LOST) {
                          untilOthersWait(cluster, rank);
                          if (throwing) {
                            throw new IllegalStateException("boom");
                          }
                          return;
                        }
                        Throwable error = catchThrowable(() -> waiting.call.run(rank, file));
                        check(error, throwing);
                        // a rank that comes too late is told the same, and can still work alone
                        check(catchThrowable(rank::barrier), throwing);
                        BadInputs.assertContent(rank, "file", CONTENT);
                        told.incrementAndGet();
                      }));
      if (throwing) {
        assertThat(thrown).isInstanceOf(IllegalStateException.class).hasMessage("boom");
      } else {
        assertThat(thrown).isNull();
      }
      assertThat(told).hasValue(2);
      assertThat(cluster.waits()).isEmpty();
      nextProgramWorks(cluster);
    }
  }

  private static void check(Throwable error, boolean throwing) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    assertThat(cause).isInstanceOf(RankFailedException.class).hasMessageContaining("rank " + LOST);
    if (throwing) {
      assertThat(cause).hasMessageContaining("boom");
    }
  }

  private static void nextProgramWorks(RunningCluster cluster) throws IOException {
    cluster.run(
        3,
        rank -> {
          try (var file = rank.open("file", OpenOptions.readWrite().withMode(Mode.ORDERED))) {
            byte[] part = new byte[CONTENT.length / 3];
            assertThat(file.read(Memory.of(part))).isEqualTo(part.length);
            assertThat(part[5]).isEqualTo(CONTENT[rank.number() * part.length + 5]);
          }
        });
    BadInputs.assertContent(cluster, "file", CONTENT);
  }

  @ParameterizedTest
  @MethodSource("waiting")
  void aRankThatThrowsWhileOthersWait(Waiting waiting) throws Exception {
    lose(waiting, true);
  }

  @ParameterizedTest
  @MethodSource("waiting")
  void aRankThatReturnsWhileOthersWait(Waiting waiting) throws Exception {
    lose(waiting, false);
  }

  @Test
  void aRankThatEndsWhileOthersReceiveFromIt() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(1)) {
      for (int from : new int[] {LOST, Rank.ANY}) {
        cluster.run(
            3,
            rank -> {
              Rank pair = rank.split(from == LOST ? 0 : rank.number() == 1 ? -1 : 0, 0);
              if (rank.number() == LOST) {
                pair.send(0, 7, new byte[] {1});
              } else if (rank.number() == 0) {
                assertThat(pair.receive(from, 7).bytes()).containsExactly(1);
                assertThat(catchThrowable(() -> pair.receive(from, 7)))
                    .isInstanceOf(RankFailedException.class)
                    .hasMessageContaining("ended");
              }
            });
      }
    }
  }

  @Test
  void aRankThatEndsWhileOthersSendToIt() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(1)) {
      cluster.run(
          3,
          rank -> {
            if (rank.number() == LOST) {
              assertThat(rank.receive(Rank.ANY, 1).bytes()).hasSize(1);
              assertThat(rank.receive(Rank.ANY, 1).bytes()).hasSize(1);
              return; // two larger messages than its mailbox takes are left
            }
            rank.send(LOST, 1, new byte[1]);
            Throwable error = catchThrowable(() -> rank.send(LOST, 2, new byte[1 << 20]));
            assertThat(error)
                .isInstanceOf(RankFailedException.class)
                .hasMessageContaining("rank " + LOST);
            error = catchThrowable(() -> rank.send(LOST, 1, new byte[1]));
            assertThat(error)
                .isInstanceOf(RankFailedException.class)
                .hasMessageContaining("rank " + LOST);
          });
    }
  }

  @Test
  void aLockWhoseHolderEndsGoesToWhoWaitsForIt() throws Exception {
    for (boolean throwing : new boolean[] {true, false}) {
      try (RunningCluster cluster = BadInputs.inMemory(1)) {
        AtomicInteger got = new AtomicInteger();
        Throwable thrown =
            catchThrowable(
                () ->
                    cluster.run(
                        3,
                        rank -> {
                          if (rank.number() == LOST) {
                            rank.lock("door");
                            rank.barrier();
                            untilOthersWait(cluster, rank);
                            if (throwing) {
                              throw new IllegalStateException("boom");
                            }
                            return;
                          }
                          rank.barrier();
                          try (var _ = rank.lock("door")) {
                            got.incrementAndGet();
                          }
                        }));
        assertThat(thrown != null).isEqualTo(throwing);
        assertThat(got).hasValue(2);
        assertThat(cluster.waits()).isEmpty();
      }
    }
  }

  @Test
  void aRankThatDiesInAnAtomicFileLeavesNoLockBehind() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      BadInputs.store(cluster, "file", CONTENT);
      Throwable thrown =
          catchThrowable(
              () ->
                  cluster.run(
                      3,
                      rank -> {
                        var file = rank.open("file", OpenOptions.readWrite().withMode(Mode.ATOMIC));
                        if (rank.number() == LOST) {
                          for (int i = 0; i < 32; i++) {
                            var _ = file.at(0).writeAsync(segment(CONTENT));
                          }
                          throw new IllegalStateException("boom");
                        }
                        for (int i = 0; i < 10; i++) {
                          assertThat(file.at(0).write(Memory.of(CONTENT)))
                              .isEqualTo(CONTENT.length);
                        }
                        file.close();
                      }));
      assertThat(thrown).hasMessage("boom");
      assertThat(cluster.waits()).isEmpty();
      nextProgramWorks(cluster);
    }
  }

  @Test
  void aClusterClosedWhileRanksWaitTellsThem() throws Exception {
    RunningCluster cluster = BadInputs.inMemory(1);
    AtomicInteger told = new AtomicInteger();
    Throwable thrown =
        catchThrowable(
            () ->
                cluster.run(
                    3,
                    rank -> {
                      if (rank.number() == LOST) {
                        untilOthersWait(cluster, rank);
                        cluster.close();
                        return;
                      }
                      BadInputs.assertFails(ErrorCode.CLOSED, rank::barrier, "closed");
                      told.incrementAndGet();
                    }));
    // the ranks could not even say that they leave
    if (thrown != null) {
      assertThat(thrown).isInstanceOf(MillraceException.class).hasMessageContaining("closed");
    }
    assertThat(told).hasValue(2);
    BadInputs.assertFails(ErrorCode.CLOSED, () -> cluster.run(1, _ -> {}), "closed");
  }
}
