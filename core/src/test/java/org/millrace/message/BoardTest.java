package org.millrace.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;
import org.millrace.error.MillraceException;
import org.millrace.testing.Seeds;
import org.millrace.wire.HostMemory;
import org.millrace.wire.Net;

/** Threads that meet on a board, each with a view of its own of the same memory. */
final class BoardTest {

  private static final int RANKS = 3;
  private static final int CALLS = 400;
  private static final long CELL = 64 + RANKS * 1024L; // where that of call 1 begins
  private static final byte[] ALIKE = {1, 2, 3};

  private final MemorySegment memory = Arena.ofAuto().allocate(Board.bytes(RANKS), 64);

  private Board board(int rank) {
    return board(Env.real(), rank);
  }

  private Board board(Env env, int rank) {
    return new Board(env, HostMemory.NONE, memory, RANKS, rank);
  }

  private static byte[] contribution(int rank, long call) {
    return ByteBuffer.allocate(16).putLong(rank).putLong(call).array();
  }

  private static Board.Visit arrive(Board board, int rank, long call) {
    return Objects.requireNonNull(board.arrive(0, call, ALIKE, contribution(rank, call)));
  }

  /** Comes to many calls, some of which it gives up at once, and says which it has met. */
  private static boolean[] visit(Env env, Board board, int rank, Random random) throws IOException {
    boolean[] met = new boolean[CALLS + 1];
    for (long call = 1; call <= CALLS; call++) {
      int mood = random.nextInt(20);
      Thread.yield();
      if (mood == 0) {
        board.part(0, call);
        continue;
      }
      Board.Visit visit = board.arrive(0, call, ALIKE, contribution(rank, call));
      if (visit == null) {
        continue;
      }
      if (visit.isLast()) {
        assertThat(visit.agrees()).isTrue();
        visit.meet(call);
      }
      if (!visit.await(mood == 1 ? env.nanoTime() : env.deadlineAfter(50_000_000))) {
        visit.part();
      }
      assertThat(visit.isMet()).isNotEqualTo(visit.isApart());
      if (visit.isMet()) {
        met[(int) call] = true;
        for (int other = 0; other < RANKS; other++) {
          assertThat(visit.contribution(other)).isEqualTo(contribution(other, call));
        }
        assertThat(visit.result()).isEqualTo(call);
        visit.leave();
      }
    }
    return met;
  }

  private void meetOften(List<Board> boards) throws Exception {
    for (long seed : Seeds.of(1)) {
      List<FutureTask<boolean[]>> tasks = new ArrayList<>();
      for (int r = 0; r < RANKS; r++) {
        int rank = r;
        Board board = boards.get(r);
        tasks.add(new FutureTask<>(() -> visit(Env.real(), board, rank, new Random(seed + rank))));
        Thread.ofPlatform().daemon().start(tasks.getLast());
      }
      boolean[] first = tasks.getFirst().get();
      for (FutureTask<boolean[]> task : tasks) {
        assertThat(task.get()).as(Seeds.replay(seed)).isEqualTo(first);
      }
    }
  }

  @Test
  void allRanksMeetACallOrNone() throws Exception {
    meetOften(List.of(board(0), board(1), board(2)));
  }

  @Test
  void allRanksMeetACallOrNoneWhateverTheScheduleIs() {
    int max = 0;
    for (long seed : Seeds.of(30)) {
      memory.fill((byte) 0);
      SeededEnv env = SeededEnv.of(seed);
      boolean[][] met = new boolean[RANKS][];
      env.run(
          () -> {
            for (int r = 0; r < RANKS; r++) {
              int rank = r;
              Random random = new Random(seed + rank);
              env.start(
                  ThreadKind.RANK,
                  "rank " + rank,
                  () -> met[rank] = visitUnchecked(env, board(env, rank), rank, random));
            }
          });
      assertThat(met[1]).as(Seeds.replay(seed)).isEqualTo(met[0]);
      assertThat(met[2]).as(Seeds.replay(seed)).isEqualTo(met[0]);
      int count = 0;
      for (boolean one : met[0]) {
        count += one ? 1 : 0;
      }
      max = Math.max(max, count);
    }
    assertThat(max).isPositive();
  }

  private static boolean[] visitUnchecked(Env env, Board board, int rank, Random random) {
    try {
      return visit(env, board, rank, random);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void allRanksMeetACallOrNoneInMemoryOfTheKernel() throws Exception {
    Env env = Env.real();
    Boards boards = new Boards(env, Net.SOCKETS.memory(env, true));
    List<Board> found = new ArrayList<>();
    try (Boards.Offer offer = boards.offer(RANKS)) {
      for (int r = 0; r < RANKS; r++) {
        Board one = boards.find(offer.place(), offer.chance(), RANKS, r);
        found.add(Objects.requireNonNull(one));
      }
    }
    meetOften(found);
  }

  @Test
  void whoWaitsSleepsUntilTheLastHasCome() throws Exception {
    Env env = Env.real();
    List<Board> boards = List.of(board(0), board(1), board(2));
    Board.Visit first = arrive(boards.get(0), 0, 1);
    Board.Visit second = arrive(boards.get(1), 1, 1);
    assertThat(first.await(env.nanoTime())).isFalse();
    assertThat(second.isLast()).isFalse();
    Board.Visit last = arrive(boards.get(2), 2, 1);
    assertThat(last.isLast()).isTrue();
    assertThat(first.await(env.nanoTime())).isFalse();
    last.meet(5);
    assertThat(first.await(Env.NEVER)).isTrue();
    assertThat(first.isMet()).isTrue();
    assertThat(second.result()).isEqualTo(5);
  }

  @Test
  void whatRanksDoNotSayAlikeIsNotMet() {
    arrive(board(0), 0, 1);
    arrive(board(1), 1, 1);
    Board.Visit last =
        Objects.requireNonNull(board(2).arrive(0, 1, new byte[] {1, 2, 4}, contribution(2, 1)));
    assertThat(last.agrees()).isFalse();
    Board.Visit longer =
        Objects.requireNonNull(board(2).arrive(0, 5, new byte[] {1, 2, 3, 4}, contribution(2, 1)));
    arrive(board(0), 0, 5);
    assertThat(longer.agrees()).isFalse();
  }

  @Test
  void aRankThatSaysTooMuchPartsAll() {
    Board.Visit first = arrive(board(0), 0, 1);
    assertThat(board(1).arrive(0, 1, ALIKE, new byte[1024])).isNull();
    assertThat(first.isApart()).isTrue();
  }

  @Test
  void aRankThatHasEndedPartsAll() {
    Board ended = board(1);
    ended.end();
    Board.Visit first = arrive(board(0), 0, 1);
    assertThat(ended.arrive(0, 1, ALIKE, ALIKE)).isNull();
    assertThat(first.isApart()).isTrue();
  }

  @Test
  void aCallThatOneHasNotLeftKeepsItsCell() {
    List<Board.Visit> all = new ArrayList<>();
    for (int r = 0; r < RANKS; r++) {
      all.add(arrive(board(r), r, 1));
    }
    all.getLast().meet(0);
    all.get(0).leave();
    all.get(1).leave();
    assertThat(board(0).arrive(0, 5, ALIKE, ALIKE)).isNull();
    assertThat(all.get(2).isMet()).isTrue();
    all.get(2).leave();
    assertThat(arrive(board(0), 0, 5).isMet()).isFalse();
  }

  @Test
  void aLaterCallOfTheCellPartsAnEarlierOne() {
    Board.Visit early = arrive(board(0), 0, 1);
    Board.Visit late = arrive(board(1), 1, 5);
    assertThat(early.isApart()).isTrue();
    assertThat(board(2).arrive(0, 1, ALIKE, ALIKE)).isNull();
    assertThat(late.isApart()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 1025, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void lengthsThatAnotherProcessWroteAreNotBelieved(int length) {
    Board.Visit first = arrive(board(0), 0, 1);
    arrive(board(1), 1, 1);
    long slot = CELL + 64 + 1024;
    assertThat(memory.get(ValueLayout.JAVA_INT, slot)).isEqualTo(ALIKE.length);
    memory.set(ValueLayout.JAVA_INT, slot + 4, length);
    assertThatThrownBy(() -> first.contribution(1)).isInstanceOf(MillraceException.class);
    memory.set(ValueLayout.JAVA_INT, slot, length);
    assertThatThrownBy(() -> first.contribution(1)).isInstanceOf(MillraceException.class);
    assertThat(first.agrees()).isFalse();
  }

  @Test
  void aWordThatMeansNothingIsApart() {
    Board.Visit first = arrive(board(0), 0, 1);
    memory.set(ValueLayout.JAVA_LONG, CELL, -1);
    assertThat(first.isApart()).isTrue();
    assertThat(board(1).arrive(0, 1, ALIKE, ALIKE)).isNull();
    memory.set(ValueLayout.JAVA_LONG, CELL, 0);
    assertThat(first.isApart()).isTrue();
  }
}
