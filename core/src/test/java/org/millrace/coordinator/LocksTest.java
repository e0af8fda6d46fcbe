package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.DeadlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.RankFailedException;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Failure;

final class LocksTest {

  private Harness harness;
  private Harness.Ranks ranks;

  @BeforeEach
  void setUp() throws IOException {
    harness = new Harness();
    ranks = harness.ranks(4);
  }

  @AfterEach
  void tearDown() {
    harness.close();
  }

  private long granted(Pending pending) throws IOException {
    assertThat(pending.isDone()).isTrue();
    return ((CoordinatorReply.Locked) pending.await(Env.NEVER)).lock();
  }

  private void unlock(int rank, Pending lock) throws IOException {
    harness.call(ranks.links.get(rank), new CoordinatorRequest.Unlock(granted(lock)));
  }

  @Test
  void locksAreGrantedInTheOrderOfAsking() throws IOException {
    List<Pending> asked = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      asked.add(ranks.lock(rank, "x"));
    }
    for (int rank = 0; rank < 4; rank++) {
      for (int other = 0; other < 4; other++) {
        assertThat(asked.get(other).isDone()).isEqualTo(other <= rank);
      }
      unlock(rank, asked.get(rank));
    }
  }

  @Test
  void rangesConflictExactlyWhereTheyOverlapUnlessBothAreShared() throws IOException {
    for (long from = 0; from < 4; from++) {
      for (long to = from + 1; to <= 4; to++) {
        for (int kind = 0; kind < 4; kind++) {
          boolean sharedHeld = (kind & 1) != 0;
          boolean sharedAsked = (kind & 2) != 0;
          Pending held = ranks.lock(0, "x", 1, 3, sharedHeld);
          Pending asked = ranks.lock(1, "x", from, to, sharedAsked);
          boolean overlap = from < 3 && to > 1;
          assertThat(asked.isDone())
              .as("%d..%d beside 1..3", from, to)
              .isEqualTo(!overlap || sharedHeld && sharedAsked);
          unlock(0, held);
          unlock(1, asked);
        }
      }
    }
  }

  @Test
  void aStreamOfSharedLocksDoesNotOvertakeAnExclusiveOne() throws IOException {
    Pending reader = ranks.lock(0, "x", 0, 10, true);
    Pending writer = ranks.lock(1, "x", 0, 10, false);
    Pending late = ranks.lock(2, "x", 0, 10, true);
    Pending elsewhere = ranks.lock(3, "x", 10, 20, true);
    assertThat(writer.isDone() || late.isDone()).isFalse();
    assertThat(elsewhere.isDone()).as("no conflict with anybody before it").isTrue();
    unlock(0, reader);
    assertThat(late.isDone()).isFalse();
    unlock(1, writer);
    assertThat(late.isDone()).isTrue();
  }

  @Test
  void otherNamesDoNotConflictAndNamesAreTheFormedGroupsOwn() throws IOException {
    Harness.Ranks others = harness.ranks(1);
    Pending mine = ranks.lock(0, "x");
    assertThat(ranks.lock(1, "y").isDone()).isTrue();
    assertThat(others.lock(0, "x").isDone()).as("another group's name is another").isTrue();
    List<Harness.Ranks> halves = new ArrayList<>();
    for (Message each : ranks.all("split", new Effect.Split(0, 0))) {
      halves.add(harness.new Ranks(((CoordinatorReply.Split) each).group(), ranks.links));
    }
    Pending inHalf = halves.getFirst().lock(1, "x");
    assertThat(inHalf.isDone()).as("a split group's name is the same").isFalse();
    unlock(0, mine);
    assertThat(inHalf.isDone()).isTrue();
  }

  @Test
  void aFileIsLockedBetweenAllWhoHaveItOpenAndByNobodyElse() throws IOException {
    Harness.Ranks eve = harness.ranks(1, "eve");
    Harness.Ranks others = harness.ranks(1);
    CoordinatorReply.Opened open = ranks.open("f", Harness.CREATE);
    String name = "file " + open.file();
    assertThat(harness.refusal(eve.lock(0, name)).code()).isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(harness.refusal(others.lock(0, name)).code()).isEqualTo(ErrorCode.NOT_PERMITTED);
    others.open("f", Harness.EXISTING);
    Pending mine = ranks.lock(0, name);
    Pending theirs = others.lock(0, name);
    assertThat(mine.isDone()).isTrue();
    assertThat(theirs.isDone()).isFalse();
    unlock(0, mine);
    assertThat(theirs.isDone()).isTrue();
    assertThat(eve.lock(0, "file x").isDone()).as("no file is called so").isTrue();
  }

  @Test
  void locksOfDifferentStrandsOfAFileDoNotWaitForEachOther() throws IOException {
    String name = "file " + ranks.open("f", Harness.CREATE).file();
    Pending first = ranks.lock(0, name + " 12:0+4", 0, 100, false);
    Pending second = ranks.lock(1, name + " 12:4+4", 0, 100, false);
    assertThat(first.isDone() && second.isDone()).isTrue();
    Pending same = ranks.lock(2, name + " 12:4+8", 50, 60, false);
    Pending all = ranks.lock(3, name, 2, 7, false);
    assertThat(same.isDone() || all.isDone()).isFalse();
    unlock(1, second);
    assertThat(same.isDone()).isTrue();
    assertThat(all.isDone()).as("bytes 2 and 3 are the first's").isFalse();
    unlock(0, first);
    assertThat(all.isDone()).isTrue();
  }

  @Test
  void whoLeavesGivesItsLocksBackAndStopsAsking() throws IOException {
    ranks.lock(0, "x");
    Pending asked = ranks.lock(1, "x");
    Pending next = ranks.lock(2, "x");
    ranks.leave(1, "");
    assertThat(harness.refusal(asked)).isInstanceOf(RankFailedException.class);
    ranks.links.getFirst().close();
    assertThat(next.isDone()).isTrue();
  }

  @Test
  void ofTheSameWordsAskedTwiceTheFirstGivesUpFirst() throws IOException {
    ranks.lock(0, "x");
    Pending first = ranks.lock(1, "x");
    Pending second = ranks.lock(1, "x");
    harness.call(
        ranks.links.get(1),
        new CoordinatorRequest.CancelLock(ranks.group, 1, "x", 0, Long.MAX_VALUE));
    assertThat(second.isDone()).isFalse();
    assertThat(harness.refusal(first)).isInstanceOf(DeadlineException.class);
  }

  @Test
  void whoStopsAskingLetsTheNextPass() throws IOException {
    ranks.lock(0, "x", 0, 10, true);
    Pending writer = ranks.lock(1, "x", 0, 10, false);
    Pending reader = ranks.lock(2, "x", 0, 10, true);
    CoordinatorRequest.CancelLock cancel =
        new CoordinatorRequest.CancelLock(ranks.group, 1, "x", 0, 10);
    harness.call(ranks.links.get(1), new CoordinatorRequest.CancelLock(ranks.group, 1, "x", 0, 9));
    assertThat(writer.isDone()).isFalse();
    harness.call(ranks.links.get(1), cancel);
    assertThat(harness.refusal(writer)).isInstanceOf(DeadlineException.class);
    assertThat(reader.isDone()).isTrue();
    harness.call(ranks.links.get(1), cancel);
  }

  @Test
  void wrongUseIsRefused() throws IOException {
    Pending lock = ranks.lock(0, "x");
    assertThat(harness.refused(ranks.links.get(1), new CoordinatorRequest.Unlock(granted(lock))))
        .isEqualTo(ErrorCode.INVALID);
    unlock(0, lock);
    assertThat(harness.refused(ranks.links.get(0), new CoordinatorRequest.Unlock(granted(lock))))
        .isEqualTo(ErrorCode.INVALID);
    assertThat(harness.refusal(ranks.lock(0, "x", 5, 5, false)).code())
        .isEqualTo(ErrorCode.INVALID);
    assertThat(harness.refusal(ranks.lock(0, "x", -1, 5, false)).code())
        .isEqualTo(ErrorCode.INVALID);
  }

  @Test
  void ofTwoRanksThatLockEachOtherOutTheLastIsTheVictimAndTheOtherGoesOn() throws IOException {
    Pending a = ranks.lock(0, "a");
    Pending b = ranks.lock(1, "b");
    Pending one = ranks.lock(0, "b");
    assertThat(one.isDone()).isFalse();
    Pending two = ranks.lock(1, "a");
    assertThat(harness.refusal(two))
        .isInstanceOf(DeadlockException.class)
        .hasMessageContaining("rank 1 of group " + ranks.group + " waits in lock \"a\" for rank 0")
        .hasMessageContaining("rank 0 of group " + ranks.group + " waits in lock \"b\" for rank 1");
    assertThat(one.isDone()).as("until the victim gives its lock back").isFalse();
    unlock(1, b);
    assertThat(one.isDone()).isTrue();
    unlock(0, a);
    assertThat(ranks.lock(1, "a").isDone()).isTrue();
  }

  @Test
  void aCircleOfThreeHasOneVictimAndTheOthersGoOn() throws IOException {
    List<Pending> held = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      held.add(ranks.lock(rank, "l" + rank));
    }
    Pending bystander = ranks.lock(3, "l0");
    List<Pending> circle = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      circle.add(ranks.lock(rank, "l" + (rank + 1) % 3));
    }
    assertThat(harness.refusal(circle.getLast())).isInstanceOf(DeadlockException.class);
    assertThat(bystander.isDone()).isFalse();
    assertThat(harness.waits(ranks.links.getFirst())).hasSize(3);
    unlock(2, held.get(2));
    assertThat(circle.get(1).isDone()).isTrue();
    assertThat(circle.get(0).isDone()).isFalse();
    unlock(1, held.get(1));
    assertThat(circle.get(0).isDone()).isTrue();
    unlock(0, held.get(0));
    assertThat(bystander.isDone()).isTrue();
  }

  @Test
  void askingAgainForWhatOneHoldsIsACircleOfOne() {
    ranks.lock(0, "x", 0, 10, true);
    assertThat(ranks.lock(0, "x", 0, 10, true).isDone()).isTrue();
    assertThat(harness.refusal(ranks.lock(0, "x", 5, 6, false)))
        .isInstanceOf(DeadlockException.class)
        .hasMessageContaining("lock \"x\" of 5..5");
  }

  @Test
  void aCircleThroughALockAndABarrierFailsBothCalls() throws IOException {
    ranks.lock(0, "x");
    Pending zero = ranks.barrier(0);
    Pending two = ranks.barrier(2);
    Pending one = ranks.lock(1, "x");
    assertThat(harness.sameRefusal(List.of(zero, two, one)))
        .isInstanceOf(DeadlockException.class)
        .hasMessageContaining("barrier #0")
        .hasMessageContaining("lock \"x\"");
    assertThat(harness.refusal(ranks.barrier(1))).isInstanceOf(DeadlockException.class);
    assertThat(harness.refusal(ranks.barrier(3))).isInstanceOf(DeadlockException.class);
    assertThat(ranks.all("barrier", new Effect.None())).hasSize(4);
  }

  @Test
  void theLastToComeClosesTheCircleFromTheBarriersSideToo() {
    ranks.lock(0, "x");
    Pending one = ranks.lock(1, "x");
    Pending zero = ranks.barrier(0);
    assertThat(harness.sameRefusal(List.of(zero, one))).isInstanceOf(DeadlockException.class);
  }

  @Test
  void twoMeetingsThatWaitForEachOtherAreACircle() throws IOException {
    Harness.Ranks pair = harness.ranks(2);
    long file = pair.open("f", Harness.CREATE).open();
    Pending zero = pair.barrier(0);
    Pending one = pair.start(1, pair.meeting(1, file, 0, "read", 0, new Effect.None()));
    assertThat(harness.sameRefusal(List.of(zero, one))).isInstanceOf(DeadlockException.class);
  }

  @Test
  void ranksWithSomethingElseUnderWayAreNoPartOfACircle() throws IOException {
    ranks.lock(0, "x");
    Pending zero =
        ranks.start(
            0,
            new CoordinatorRequest.Meet(
                ranks.group, 0, 0, 0, "barrier", 0, "", 0, new Effect.None(), Failure.NONE, false));
    Pending one = ranks.lock(1, "x");
    assertThat(zero.isDone() || one.isDone()).isFalse();
  }
}
