package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.millrace.scenario.BadInputs.segment;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.DeadlockException;
import org.millrace.error.MixedCallException;

/**
 * Ranks that lock each other out, call different things, or mean different things by the same call.
 */
final class BadInputCirclesTest {

  private static final byte[] CONTENT = BadInputs.content(100_000, 3);

  @Test
  void twoRanksThatLockEachOtherOutAreBothTold() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(1)) {
      AtomicInteger told = new AtomicInteger();
      cluster.run(
          2,
          rank -> {
            String mine = "lock " + rank.number();
            String others = "lock " + (1 - rank.number());
            try (var _ = rank.lock(mine)) {
              rank.barrier();
              Throwable error =
                  catchThrowable(
                      () -> {
                        try (var _ = rank.lock(others)) {
                          // only if the other one was told and gave its own back
                        }
                      });
              if (error != null) {
                assertThat(error)
                    .isInstanceOf(DeadlockException.class)
                    .hasMessageContaining("lock 0")
                    .hasMessageContaining("lock 1")
                    .hasMessageContaining("rank 0")
                    .hasMessageContaining("rank 1");
                told.incrementAndGet();
              }
            }
            rank.barrier();
            try (var _ = rank.lock(others)) {
              assertThat(cluster.nodes()).isEqualTo(1); // the locks work again
            }
          });
      assertThat(told).hasValueGreaterThan(0);
      assertThat(cluster.waits()).isEmpty();
    }
  }

  @Test
  void aRankThatLocksTwiceIsToldThatItWaitsForItself() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(1)) {
      cluster.run(
          1,
          rank -> {
            try (var _ = rank.lock("a")) {
              assertThat(catchThrowable(() -> rank.lock("a")))
                  .isInstanceOf(DeadlockException.class);
            }
            rank.lock("a").close();
          });
    }
  }

  @Test
  void aLockHeldAcrossAMeetingThatItsWaiterCannotReachIsACircle() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(1)) {
      cluster.run(
          3,
          rank -> {
            if (rank.number() == 0) {
              try (var _ = rank.lock("a")) {
                rank.alone().barrier();
                assertThat(catchThrowable(rank::barrier))
                    .isInstanceOf(DeadlockException.class)
                    .hasMessageContaining("barrier")
                    .hasMessageContaining("a");
              }
            } else if (rank.number() == 1) {
              while (cluster.waits().isEmpty()) {
                Thread.yield(); // until somebody is in the barrier
              }
              // the lock may be free yet; then nothing is wrong, and the barrier tells the same
              Throwable error = catchThrowable(() -> lockWhileHeld(cluster, rank));
              assertThat(error).isInstanceOf(DeadlockException.class);
              assertThat(catchThrowable(rank::barrier)).isInstanceOf(DeadlockException.class);
            } else {
              assertThat(catchThrowable(rank::barrier)).isInstanceOf(DeadlockException.class);
            }
            rank.barrier();
            rank.lock("a").close();
          });
      assertThat(cluster.waits()).isEmpty();
    }
  }

  /** Asks for the lock until the rank that holds it waits in the barrier. */
  private static void lockWhileHeld(RunningCluster cluster, Rank rank) throws Exception {
    while (cluster.waits().stream().noneMatch(w -> w.rank() == 0 && w.call().contains("barrier"))) {
      Thread.yield();
    }
    rank.lock("a").close();
  }

  interface Mixed {
    void run(Rank rank, SharedFile file) throws Exception;
  }

  /** Ranks 0 and 2 are of one mind, rank 1 is not: all get this error, and the next calls work. */
  private static void allFail(
      Class<? extends Throwable> kind, Mode mode, Mixed most, Mixed other, String... words)
      throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      BadInputs.store(cluster, "file", CONTENT);
      cluster.run(
          3,
          rank -> {
            try (var file = rank.open("file", OpenOptions.readWrite().withMode(mode))) {
              rank.barrier();
              ThrowingCallable call = () -> (rank.number() == 1 ? other : most).run(rank, file);
              Throwable error = catchThrowable(call);
              assertThat(error).as("rank %d", rank.number()).isInstanceOf(kind);
              assertThat(error.getMessage()).contains("rank 1").contains(words);
              rank.barrier();
              assertThat(file.isClosed()).isFalse();
              assertThat(file.mode()).isEqualTo(mode);
              assertThat(file.size()).isEqualTo(CONTENT.length);
              BadInputs.assertContent(rank, "file", CONTENT);
              rank.barrier();
              byte[] four = new byte[4];
              assertThat(file.at(0).all().read(segment(four))).isEqualTo(4);
              assertThat(four).startsWith(CONTENT[0], CONTENT[1]);
            }
          });
      assertThat(cluster.waits()).isEmpty();
    }
  }

  private static void mixed(Mode mode, Mixed most, Mixed other, String... words) throws Exception {
    allFail(MixedCallException.class, mode, most, other, words);
  }

  private static MemorySegment bytes(int count) {
    return segment(new byte[count]);
  }

  @Test
  void lengthsThatDifferInGlobalMode() throws Exception {
    mixed(Mode.GLOBAL, (_, f) -> f.read(bytes(8)), (_, f) -> f.read(bytes(9)), "read", "8", "9");
    mixed(Mode.GLOBAL, (_, f) -> f.write(bytes(8)), (_, f) -> f.write(bytes(9)), "write");
    mixed(Mode.GLOBAL, (_, f) -> f.write(bytes(8)), (_, f) -> f.read(bytes(8)), "write", "read");
  }

  @Test
  void placesModesAndSizesThatDiffer() throws Exception {
    mixed(Mode.ORDERED, (_, f) -> f.seek(1), (_, f) -> f.seek(2), "seek", "1", "2");
    mixed(Mode.RECORD, (_, f) -> f.seek(1), (_, f) -> f.seek(2), "seek");
    mixed(Mode.INDEPENDENT, (_, f) -> f.seekShared(1), (_, f) -> f.seekShared(2), "seekShared");
    mixed(Mode.SHARED, (_, f) -> f.resize(1), (_, f) -> f.resize(2), "resize", "1", "2");
    mixed(Mode.INDEPENDENT, (_, f) -> f.preallocate(1), (_, f) -> f.preallocate(2), "preallocate");
    mixed(Mode.INDEPENDENT, (_, f) -> f.setAtomic(true), (_, f) -> f.setAtomic(false), "setAtomic");
    mixed(
        Mode.INDEPENDENT,
        (_, f) -> f.setMode(Mode.ORDERED),
        (_, f) -> f.setMode(Mode.SHARED),
        "setMode",
        "ORDERED",
        "SHARED");
  }

  @Test
  void namesAndOptionsOfOpenThatDiffer() throws Exception {
    OpenOptions create = OpenOptions.create();
    mixed(Mode.INDEPENDENT, (r, _) -> r.open("a", create), (r, _) -> r.open("b", create), "a", "b");
    for (OpenOptions how :
        List.of(
            create.withTruncate(),
            create.withExclusive(),
            create.withAppend(),
            create.withMode(Mode.SHARED),
            create.withStripeUnit(4096),
            create.withStrands(1),
            create.withPermissions(0600),
            create.withDeleteOnClose(),
            OpenOptions.read())) {
      mixed(
          Mode.INDEPENDENT, (r, _) -> r.open("x", create), (r, _) -> r.open("x", how), "open", "x");
    }
  }

  @Test
  void differentCallsOnOneFile() throws Exception {
    mixed(Mode.ORDERED, (_, f) -> f.read(bytes(4)), (_, f) -> f.close(), "read", "close");
    mixed(Mode.INDEPENDENT, (_, f) -> f.setView(View.from(1)), (_, f) -> f.preload(), "setView");
    mixed(
        Mode.INDEPENDENT,
        (_, f) -> f.all().read(bytes(1)),
        (_, f) -> f.all().write(bytes(1)),
        "writeAll");
    mixed(
        Mode.INDEPENDENT,
        (_, f) -> f.at(0).all().read(bytes(1)),
        (_, f) -> f.ordered().read(bytes(1)),
        "readAtAll");
  }

  @Test
  void differentCallsOfTheGroup() throws Exception {
    mixed(
        Mode.INDEPENDENT, (r, _) -> r.barrier(), (r, _) -> r.allGather(1), "barrier", "allGather");
    mixed(Mode.INDEPENDENT, (r, _) -> r.split(0, 0), (r, _) -> r.barrier(), "split", "barrier");
    mixed(
        Mode.INDEPENDENT,
        (r, _) -> r.barrier(),
        (r, _) -> r.open("x", OpenOptions.create()),
        "open");
    mixed(
        Mode.INDEPENDENT,
        (r, _) -> r.allReduceLong(1, Long::sum),
        (r, _) -> r.allReduceDouble(1, Double::sum),
        "allReduce");
  }

  @Test
  void differentRootsAndLengthsInCallsOfTheGroup() throws Exception {
    mixed(
        Mode.INDEPENDENT,
        (r, _) -> r.broadcast(0, new byte[1]),
        (r, _) -> r.broadcast(2, new byte[1]),
        "broadcast");
    mixed(
        Mode.INDEPENDENT,
        (r, _) -> r.broadcast(0, bytes(8)),
        (r, _) -> r.broadcast(0, bytes(9)),
        "9");
    mixed(
        Mode.INDEPENDENT,
        (r, _) -> r.gather(0, new byte[1]),
        (r, _) -> r.gather(1, new byte[1]),
        "gather");
    mixed(
        Mode.INDEPENDENT,
        (r, _) -> r.allReduce(new long[2], Long::sum),
        (r, _) -> r.allReduce(new long[3], Long::sum),
        "allReduce");
  }

  /**
   * Each of the calls in a circle fails on all ranks: those that did not make it yet are told when
   * they come to it. Then all are in step again.
   */
  @Test
  void callsOfTheGroupAgainstCallsOnAFileAreACircle() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      BadInputs.store(cluster, "file", CONTENT);
      cluster.run(
          3,
          rank -> {
            try (var file = rank.open("file", OpenOptions.readWrite())) {
              List<ThrowingCallable> calls = List.of(rank::barrier, () -> file.setAtomic(true));
              for (ThrowingCallable call : rank.number() == 1 ? calls : calls.reversed()) {
                assertThat(catchThrowable(call))
                    .isInstanceOf(DeadlockException.class)
                    .hasMessageContaining("rank 1")
                    .hasMessageContaining("barrier")
                    .hasMessageContaining("setAtomic");
              }
              rank.barrier();
              assertThat(file.isAtomic()).isFalse();
              file.setAtomic(true);
              BadInputs.assertContent(rank, "file", CONTENT);
            }
          });
      assertThat(cluster.waits()).isEmpty();
    }
  }

  @Test
  void filesClosedInDifferentOrderAreACircle() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      cluster.run(
          2,
          rank -> {
            OpenOptions how = OpenOptions.create().withMode(Mode.ORDERED);
            SharedFile a = rank.open("a", how);
            SharedFile b = rank.open("b", how);
            assertThat(a.write(Memory.of(new byte[] {1}))).isEqualTo(1);
            List<SharedFile> files = List.of(a, b);
            for (SharedFile file : rank.number() == 0 ? files : files.reversed()) {
              assertThat(catchThrowable(file::close))
                  .isInstanceOf(DeadlockException.class)
                  .hasMessageContaining("close");
              assertThat(file.isClosed()).isFalse();
            }
            a.close();
            b.close();
          });
      BadInputs.assertContent(cluster, "a", new byte[] {1, 1});
    }
  }
}
