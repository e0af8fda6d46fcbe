package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.millrace.access.View;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;

/**
 * A rank dies in the middle of a call that needs it; the others learn of it, form a new group and
 * go on.
 */
final class RegroupTest {

  private static final int RANKS = 5;
  private static final int LOST = 2;
  private static final int RECORD = 1000;
  private static final byte[] CONTENT = BadInputs.content(20_000, 4);

  /** A call that needs all ranks. */
  record Call(String name, Body body) {
    @Override
    public String toString() {
      return name;
    }
  }

  interface Body {
    void run(Rank rank, SharedFile file) throws IOException;
  }

  static Stream<Call> calls() {
    MemorySegment four = MemorySegment.ofArray(new byte[4]);
    return Stream.of(
        new Call("barrier", (rank, _) -> rank.barrier()),
        new Call("readAtAll", (_, file) -> file.at(0).all().read(four)),
        new Call("broadcast", (rank, _) -> rank.broadcast(LOST, new byte[4])),
        new Call("open", (rank, _) -> rank.open("other", OpenOptions.create())),
        new Call("a message", (rank, _) -> rank.receive(LOST, 1)),
        // nobody of these is dead: the sender has gone to regroup
        new Call("a chain", (rank, _) -> rank.receive((rank.number() + RANKS - 1) % RANKS, 1)));
  }

  @ParameterizedTest
  @MethodSource("calls")
  void theLivingGoOnAsANewGroup(Call call) throws IOException {
    AtomicInteger survivors = new AtomicInteger();
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      BadInputs.store(cluster, "file", CONTENT);
      assertThatThrownBy(() -> cluster.run(RANKS, rank -> run(rank, call, survivors)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("on purpose");
      BadInputs.assertContent(cluster, "file", CONTENT);
    }
    assertThat(survivors).hasValue(RANKS - 1);
  }

  private static void run(Rank rank, Call call, AtomicInteger survivors) throws IOException {
    SharedFile file = rank.open("file", OpenOptions.read());
    rank.barrier();
    if (rank.number() == LOST) {
      throw new IllegalStateException("on purpose");
    }
    assertThatThrownBy(() -> call.body().run(rank, file)).isInstanceOf(RankFailedException.class);
    Rank living = rank.regroup();
    assertThat(living.size()).isEqualTo(RANKS - 1);
    assertThat(living.number()).isEqualTo(rank.number() - (rank.number() > LOST ? 1 : 0));
    checkWorks(living);
    survivors.incrementAndGet();
  }

  private static void checkWorks(Rank rank) throws IOException {
    rank.barrier();
    assertThat(rank.allReduceLong(1, Long::sum)).isEqualTo(rank.size());
    byte[] told = rank.broadcast(3, new byte[] {(byte) rank.number()});
    assertThat(told).containsExactly(3);
    try (SharedFile file = rank.open("file", OpenOptions.read())) {
      file.setView(View.from((long) RECORD * rank.number()));
      byte[] mine = new byte[RECORD];
      assertThat(file.all().read(MemorySegment.ofArray(mine))).isEqualTo(RECORD);
      assertThat(mine)
          .isEqualTo(
              Arrays.copyOfRange(CONTENT, RECORD * rank.number(), RECORD * (rank.number() + 1)));
    }
    try (SharedFile file = rank.open("made", OpenOptions.create())) {
      file.ordered().write(MemorySegment.ofArray(new byte[] {(byte) rank.number()}));
      byte[] all = new byte[rank.size()];
      file.at(0).all().read(MemorySegment.ofArray(all));
      assertThat(all).containsExactly(0, 1, 2, 3);
    }
  }

  @Test
  void groupsShrinkOneRankAfterTheOther() throws IOException {
    try (RunningCluster cluster = BadInputs.inMemory(1)) {
      assertThatThrownBy(
              () ->
                  cluster.run(
                      RANKS,
                      rank -> {
                        Rank living = rank;
                        for (int size = RANKS; size > 1; size--) {
                          living.barrier();
                          assertThat(living.size()).isEqualTo(size);
                          if (living.number() == size / 2) {
                            throw new IllegalStateException("on purpose");
                          }
                          Rank before = living;
                          assertThatThrownBy(before::barrier)
                              .isInstanceOf(RankFailedException.class);
                          living = before.regroup();
                        }
                        living.barrier();
                      }))
          .isInstanceOf(IllegalStateException.class)
          .satisfies(e -> assertThat(e.getSuppressed()).hasSize(RANKS - 2));
    }
  }

  /**
   * The hunt found it: ranks that had closed a file could not remove it, for the dead one's sake.
   */
  @ParameterizedTest
  @EnumSource(
      value = Mode.class,
      names = {"INDEPENDENT", "ORDERED"})
  void whatTheLivingHaveClosedCanBeRemovedThoughTheDeadHaveNot(Mode mode) throws IOException {
    AtomicInteger removed = new AtomicInteger();
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      BadInputs.store(cluster, "file", CONTENT);
      assertThatThrownBy(
              () ->
                  cluster.run(
                      3,
                      rank -> {
                        SharedFile file = rank.open("file", OpenOptions.readWrite().withMode(mode));
                        if (rank.number() == 1) {
                          throw new IllegalStateException("on purpose");
                        }
                        if (mode == Mode.INDEPENDENT) {
                          file.close(); // before the others know, maybe
                        } else {
                          assertThatThrownBy(file::close).isInstanceOf(RankFailedException.class);
                        }
                        assertThat(file.isClosed()).isTrue();
                        Rank living = rank.regroup();
                        if (living.number() == 0) {
                          living.names().removeUnused("file");
                          removed.incrementAndGet();
                        }
                        living.barrier();
                      }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("on purpose");
    }
    assertThat(removed).hasValue(1);
  }

  /** Who only heard that a rank is gone would go on as if its own bytes were durable. */
  @Test
  void bytesThatAreNotDurableAreToldRatherThanWhoIsGone() throws IOException {
    Faults faults = Faults.seeded(1);
    Disk disk = new FaultyDisk(new MemoryDisk("node 0"), faults);
    AtomicInteger told = new AtomicInteger();
    RunningCluster cluster =
        RunningCluster.over(
            Env.real(), new MemoryDisk("names"), List.of(disk), BadInputs.options());
    BadInputs.store(cluster, "file", CONTENT);
    assertThatThrownBy(
            () ->
                cluster.run(
                    2,
                    rank -> {
                      var how = OpenOptions.readWrite().withMode(Mode.ORDERED);
                      SharedFile file = rank.open("file", how);
                      if (rank.number() == 1) {
                        throw new IllegalStateException("on purpose");
                      }
                      file.at(0).write(MemorySegment.ofArray(CONTENT));
                      faults.fail(Faults.Operation.FORCE, _ -> true, 0, Integer.MAX_VALUE);
                      assertThatThrownBy(file::close)
                          .isInstanceOf(MillraceException.class)
                          .isNotInstanceOf(RankFailedException.class)
                          .satisfies(
                              e ->
                                  assertThat(e.getSuppressed())
                                      .hasAtLeastOneElementOfType(RankFailedException.class));
                      told.incrementAndGet();
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(cluster::close).hasMessageContaining("an earlier force failed");
    assertThat(told).hasValue(1);
  }

  @Test
  void whatOneOfTheLivingHasOpenCannotBeRemoved() throws IOException {
    AtomicInteger refused = new AtomicInteger();
    try (RunningCluster cluster = BadInputs.inMemory(1)) {
      BadInputs.store(cluster, "file", CONTENT);
      assertThatThrownBy(
              () ->
                  cluster.run(
                      3,
                      rank -> {
                        SharedFile file = rank.open("file", OpenOptions.read());
                        rank.barrier();
                        if (rank.number() == 1) {
                          throw new IllegalStateException("on purpose");
                        }
                        Rank living = rank.regroup();
                        if (living.number() == 0) {
                          file.close();
                          assertThatThrownBy(() -> living.names().removeUnused("file"))
                              .hasMessageContaining("is open in group");
                          refused.incrementAndGet();
                        }
                        living.barrier();
                        if (living.number() == 1) {
                          file.close(); // though the group is over
                          living.names().removeUnused("file");
                        }
                        living.barrier();
                      }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("on purpose");
    }
    assertThat(refused).hasValue(1);
  }
}
