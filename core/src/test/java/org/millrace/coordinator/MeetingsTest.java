package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.error.DeadlineException;
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.RankFailedException;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Failure;

final class MeetingsTest {

  private static final Effect NONE = new Effect.None();

  private Harness harness;
  private Harness.Ranks ranks;

  @BeforeEach
  void setUp() throws IOException {
    harness = new Harness();
    ranks = harness.ranks(3);
  }

  @AfterEach
  void tearDown() {
    harness.close();
  }

  @Test
  void allAreAnsweredTogetherWithEverybodysValue() throws IOException {
    Pending first = ranks.barrier(2);
    Pending second = ranks.barrier(0);
    assertThat(first.isDone()).isFalse();
    assertThat(second.isDone()).isFalse();
    Pending third = ranks.barrier(1);
    assertThat(harness.awaitAll(List.of(first, second, third)))
        .containsOnly(new CoordinatorReply.Met(0, 0, List.of(10L, 11L, 12L)));
  }

  @Test
  void differentCallsFailAtOnceOnAllAndTheNextCallWorks() throws IOException {
    Pending zero = ranks.meet(0, "setMode", 2, NONE);
    Pending one = ranks.meet(1, "setMode", 3, NONE);
    MillraceException error = harness.sameRefusal(List.of(zero, one));
    assertThat(error)
        .isInstanceOf(MixedCallException.class)
        .hasMessageContaining("rank 0 called setMode(2)")
        .hasMessageContaining("rank 1 called setMode(3)");
    assertThat(harness.refusal(ranks.meet(2, "setMode", 2, NONE)))
        .isInstanceOf(MixedCallException.class)
        .hasMessage(error.getMessage());
    assertThat(ranks.all("barrier", NONE)).hasSize(3);
  }

  @Test
  void everythingThatMustAgreeIsCompared() throws IOException {
    CoordinatorReply.Opened file = ranks.open("f", Harness.CREATE);
    long pointer = file.pointer();
    Effect[][] pairs = {
      {NONE, new Effect.Split(0, 0)},
      {new Effect.Take(pointer, true, 0, 0), new Effect.Take(pointer, false, 0, 0)},
      {new Effect.Take(pointer, true, 0, 0), new Effect.Take(file.endPointer(), true, 0, 0)},
      {new Effect.Take(pointer, true, 0, 0, 0), new Effect.Take(pointer, true, 0, 0, pointer)},
      {new Effect.Set(pointer, 1), new Effect.Set(pointer, 2)},
      {new Effect.Close(1), new Effect.Close(2)},
      {new Effect.Open("a", Harness.CREATE), new Effect.Open("b", Harness.CREATE)},
      {new Effect.Open("a", Harness.CREATE), new Effect.Open("a", Harness.EXCLUSIVE)},
    };
    for (Effect[] pair : pairs) {
      List<Pending> all = new ArrayList<>();
      for (int rank = 0; rank < 3; rank++) {
        all.add(ranks.meet(rank, "call", 0, pair[rank == 1 ? 1 : 0]));
      }
      assertThat(harness.sameRefusal(all))
          .as(pair[1].toString())
          .isInstanceOf(MixedCallException.class);
    }
    assertThat(
            ((CoordinatorReply.Names)
                    harness.call(ranks.links.getFirst(), new CoordinatorRequest.ListNames("")))
                .names())
        .containsExactly("f");
    assertThat(ranks.all("barrier", NONE)).hasSize(3);
  }

  @Test
  void oneRankClosingWhileAnotherReadsHarmsNothing() throws IOException {
    CoordinatorReply.Opened file = ranks.open("f", Harness.CREATE);
    Effect take = new Effect.Take(file.pointer(), false, 0, Long.MAX_VALUE);
    List<Pending> mixed = new ArrayList<>();
    mixed.add(ranks.start(0, ranks.meeting(0, file.open(), 0, "read", 0, take)));
    mixed.add(
        ranks.start(
            1, ranks.meeting(1, file.open(), 0, "close", 0, new Effect.Close(file.open()))));
    mixed.add(ranks.start(2, ranks.meeting(2, file.open(), 0, "read", 0, take)));
    assertThat(harness.sameRefusal(mixed))
        .isInstanceOf(MixedCallException.class)
        .hasMessageContaining("rank 1 called close");
    List<Pending> good = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      good.add(ranks.start(rank, ranks.meeting(rank, file.open(), 1, "read", 0, take)));
    }
    assertThat(harness.awaitAll(good))
        .containsOnly(new CoordinatorReply.Met(0, Long.MAX_VALUE, List.of(10L, 11L, 12L)));
  }

  @Test
  void takeMovesThePointerByTheSumOrOnceUpToTheLargestLimit() throws IOException {
    CoordinatorReply.Opened file = ranks.open("f", Harness.CREATE);
    assertThat(take(file, false, 0, Long.MAX_VALUE)).isZero();
    assertThat(take(file, true, 0, Long.MAX_VALUE)).isEqualTo(33);
    assertThat(take(file, false, 0, 50)).isEqualTo(43);
    assertThat(take(file, false, 0, 20)).isEqualTo(50);
    assertThat(take(file, false, 0, 20)).isEqualTo(50);
    assertThat(take(file, false, 100, 110)).isEqualTo(100);
    assertThat(take(file, false, 0, 110)).isEqualTo(110);
    ranks.all("seek", new Effect.Set(file.pointer(), 7));
    assertThat(take(file, false, 0, 0)).isEqualTo(7);
    assertThat(ranks.links.get(1).advance(file.pointer(), 5, 0, 100, Long.MAX_VALUE)).isEqualTo(7);
    assertThat(harness.call(ranks.links.get(2), new CoordinatorRequest.PointerAt(file.pointer())))
        .isEqualTo(new CoordinatorReply.Value(12));
  }

  private long take(CoordinatorReply.Opened file, boolean once, long floor, long limit)
      throws IOException {
    List<Pending> all = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      // Limits may differ; the largest counts.
      long own = rank == 1 ? limit : Math.min(limit, 1);
      all.add(
          ranks.meet(
              rank, "take", 0, new Effect.Take(file.pointer(), once, rank == 1 ? floor : 0, own)));
    }
    List<Message> answers = harness.awaitAll(all);
    return ((CoordinatorReply.Met) answers.getFirst()).base();
  }

  @Test
  void troubleOfTheLowestRankFailsAll() {
    List<Pending> all = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      Failure failure =
          rank == 0
              ? Failure.NONE
              : new Failure(rank == 1 ? ErrorCode.DISK_FULL : ErrorCode.DISK, "no " + rank);
      all.add(
          ranks.start(
              rank,
              new CoordinatorRequest.Meet(
                  ranks.group, rank, 0, 0, "write", 0, "", 0, NONE, failure, true)));
      assertThat(all.getFirst().isDone()).isEqualTo(rank == 2);
    }
    assertThat(harness.sameRefusal(all))
        .isInstanceOf(DiskFullException.class)
        .hasMessage("rank 1: no 1");
  }

  @Test
  void aRankThatLeavesFailsPendingAndLaterMeetings() {
    Pending waiting = ranks.barrier(0);
    ranks.leave(2, "it threw IllegalStateException");
    assertThat(harness.refusal(waiting))
        .isInstanceOf(RankFailedException.class)
        .hasMessageContaining("rank 2")
        .hasMessageContaining("barrier #0")
        .hasMessageContaining("it threw IllegalStateException");
    assertThat(harness.refusal(ranks.barrier(1))).isInstanceOf(RankFailedException.class);
    assertThat(harness.refusal(ranks.meet(0, "close", 0, NONE)))
        .isInstanceOf(RankFailedException.class)
        .hasMessageContaining("close #1");
    assertThat(harness.refusal(ranks.barrier(2)).code()).isEqualTo(ErrorCode.CLOSED);
  }

  @Test
  void aRankWhoseSessionEndsHasLeft() {
    Pending waiting = ranks.barrier(0);
    ranks.links.get(1).close();
    assertThat(harness.refusal(waiting))
        .isInstanceOf(RankFailedException.class)
        .hasMessageContaining("rank 1");
  }

  @Test
  void whoCameAndEndedWellDoesNotFailTheMeeting() throws IOException {
    Pending early = ranks.barrier(2);
    ranks.leave(2, "");
    Pending zero = ranks.barrier(0);
    Pending one = ranks.barrier(1);
    assertThat(harness.awaitAll(List.of(early, zero, one))).hasSize(3);
    assertThat(harness.refusal(ranks.barrier(0))).isInstanceOf(RankFailedException.class);
  }

  @Test
  void withdrawingFailsTheMeetingForAllNamingWhoDidNotCome() throws IOException {
    Pending zero = ranks.barrier(0);
    Pending one = ranks.barrier(1);
    CoordinatorRequest.Withdraw withdraw = new CoordinatorRequest.Withdraw(ranks.group, 0, 0, 0);
    harness.call(ranks.links.getFirst(), withdraw);
    harness.call(ranks.links.getFirst(), withdraw);
    Pending late = ranks.barrier(2);
    assertThat(harness.sameRefusal(List.of(zero, one, late)))
        .isInstanceOf(DeadlineException.class)
        .hasMessageContaining("rank 2 did not arrive");
    harness.call(ranks.links.getFirst(), withdraw);
    assertThat(ranks.all("barrier", NONE)).hasSize(3);
    harness.call(ranks.links.getFirst(), new CoordinatorRequest.Withdraw(ranks.group, 0, 99, 0));
  }

  @Test
  void comingTwiceIsRefusedAndDoesNoHarm() throws IOException {
    Pending zero = ranks.barrier(0);
    CoordinatorRequest.Meet again = ranks.meeting(0, 0, 0, "barrier", 0, NONE);
    assertThat(harness.refused(ranks.links.getFirst(), again)).isEqualTo(ErrorCode.INVALID);
    assertThat(harness.awaitAll(List.of(zero, ranks.barrier(1), ranks.barrier(2)))).hasSize(3);
    assertThat(harness.refused(ranks.links.getFirst(), again)).isEqualTo(ErrorCode.INVALID);
    assertThat(harness.refused(ranks.links.getFirst(), ranks.meeting(0, 0, -1, "barrier", 0, NONE)))
        .isEqualTo(ErrorCode.INVALID);
  }

  @Test
  void callsUnderWayAtTheSameTimeEndInAnyOrder() throws IOException {
    List<Pending> all = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      for (int i = 0; i < 20; i++) {
        long number = (i * 7L + rank * 3L) % 20;
        all.add(ranks.start(rank, ranks.meeting(rank, 0, number, "call " + number, 0, NONE)));
      }
    }
    assertThat(harness.awaitAll(all)).hasSize(60);
    assertThat(harness.refused(ranks.links.getFirst(), ranks.meeting(0, 0, 12, "x", 0, NONE)))
        .isEqualTo(ErrorCode.INVALID);
  }

  @Test
  void sessionsOutsideTheGroupAreRefused() throws IOException {
    assertThat(harness.refused(ranks.links.get(1), ranks.meeting(0, 0, 0, "barrier", 0, NONE)))
        .isEqualTo(ErrorCode.INVALID);
    assertThat(harness.refused(ranks.links.get(1), ranks.meeting(3, 0, 0, "barrier", 0, NONE)))
        .isEqualTo(ErrorCode.INVALID);
    assertThat(harness.refused(ranks.links.get(1), new CoordinatorRequest.Join(ranks.group, 0)))
        .isEqualTo(ErrorCode.INVALID);
    assertThat(harness.refused(ranks.links.get(1), new CoordinatorRequest.Join(99, 0)))
        .isEqualTo(ErrorCode.CLOSED);
    assertThat(harness.refused(ranks.links.get(1), new CoordinatorRequest.Form(0)))
        .isEqualTo(ErrorCode.INVALID);
    long group =
        ((CoordinatorReply.Group) harness.call(ranks.links.get(1), new CoordinatorRequest.Form(2)))
            .group();
    assertThat(harness.refused(harness.link("eve"), new CoordinatorRequest.Join(group, 0)))
        .isEqualTo(ErrorCode.NOT_PERMITTED);
  }

  @Test
  void aClosedFilesChannelAndPointersAreGone() throws IOException {
    CoordinatorReply.Opened file = ranks.open("f", Harness.CREATE);
    Harness.Ranks others = harness.ranks(1);
    assertThat(
            harness.refused(
                others.links.getFirst(), others.meeting(0, file.open(), 0, "read", 0, NONE)))
        .as("another group's file")
        .isEqualTo(ErrorCode.CLOSED);
    assertThat(
            harness.refused(
                others.links.getFirst(), new CoordinatorRequest.PointerAt(file.pointer())))
        .isEqualTo(ErrorCode.NOT_PERMITTED);
    ranks.closeFile(file.open());
    assertThat(
            harness.refused(
                ranks.links.getFirst(), ranks.meeting(0, file.open(), 0, "read", 0, NONE)))
        .isEqualTo(ErrorCode.CLOSED);
    assertThat(harness.sameRefusal(ranks.startAll("close", new Effect.Close(file.open()))).code())
        .isEqualTo(ErrorCode.CLOSED);
  }

  @Test
  void splitOrdersRanksOfAColorByKeyThenByOldRank() throws IOException {
    Harness.Ranks five = harness.ranks(5);
    int[] colors = {1, 0, 1, -1, 1};
    int[] keys = {5, 0, 3, 0, 3};
    List<Pending> all = new ArrayList<>();
    for (int rank = 0; rank < 5; rank++) {
      all.add(five.meet(rank, "split", 0, new Effect.Split(colors[rank], keys[rank])));
    }
    List<Message> answers = harness.awaitAll(all);
    CoordinatorReply.Split zero = (CoordinatorReply.Split) answers.get(0);
    assertThat(zero.size()).isEqualTo(3);
    assertThat(answers)
        .containsExactly(
            new CoordinatorReply.Split(zero.group(), 2, 3),
            new CoordinatorReply.Split(zero.group() - 1, 0, 1),
            new CoordinatorReply.Split(zero.group(), 0, 3),
            new CoordinatorReply.Split(zero.group() - 1, -1, 0), // whence all can be told again
            new CoordinatorReply.Split(zero.group(), 1, 3));
    Pending part =
        five.links
            .get(2)
            .start(
                new CoordinatorRequest.Meet(
                    zero.group(), 0, 0, 0, "barrier", 0, "", 0, NONE, Failure.NONE, true),
                java.lang.foreign.MemorySegment.NULL);
    assertThat(part.isDone()).isFalse();
    five.leave(4, "gone");
    assertThat(harness.refusal(part))
        .as("who ends leaves the split groups, too")
        .isInstanceOf(RankFailedException.class)
        .hasMessageContaining("rank 1 of group " + zero.group());
  }

  @Test
  void leavingOneGroupLeavesThoseSplitFromItButNoOther() throws IOException {
    Link first = ranks.links.getFirst();
    List<Message> split = ranks.all("split", new Effect.Split(0, 0));
    long child = ((CoordinatorReply.Split) split.getFirst()).group();
    long other =
        ((CoordinatorReply.Group) harness.call(first, new CoordinatorRequest.Form(1))).group();
    harness.call(first, new CoordinatorRequest.Join(other, 0));
    ranks.leave(0, "done here");
    for (long group : new long[] {ranks.group, child}) {
      CoordinatorReply.Members members =
          (CoordinatorReply.Members) harness.call(first, new CoordinatorRequest.AskMembers(group));
      assertThat(members.gone()).containsExactly(Map.entry(0, "done here"));
    }
    CoordinatorReply.Members members =
        (CoordinatorReply.Members) harness.call(first, new CoordinatorRequest.AskMembers(other));
    assertThat(members.gone()).isEmpty();
  }

  @Test
  void oneSessionMayBeSeveralRanksAndEachLeavesAlone() throws IOException {
    Link one = ranks.links.getFirst();
    long group =
        ((CoordinatorReply.Group) harness.call(one, new CoordinatorRequest.Form(2))).group();
    Harness.Ranks both = harness.new Ranks(group, List.of(one, one));
    harness.call(one, new CoordinatorRequest.Join(group, 0));
    harness.call(one, new CoordinatorRequest.Join(group, 1));
    both.lock(0, "x");
    Pending waiting = both.lock(1, "x");
    both.leave(0, "");
    assertThat(waiting.isDone()).isTrue();
    CoordinatorReply.Members members =
        (CoordinatorReply.Members) harness.call(one, new CoordinatorRequest.AskMembers(group));
    assertThat(members.gone()).containsOnlyKeys(0);
  }

  @Test
  void leavingASplitGroupLeavesOnlyThatOne() throws IOException {
    List<Message> split = ranks.all("split", new Effect.Split(0, 0));
    long child = ((CoordinatorReply.Split) split.getFirst()).group();
    harness.call(ranks.links.getFirst(), new CoordinatorRequest.Leave(child, 0, ""));
    assertThat(ranks.all("barrier", NONE)).hasSize(3);
  }

  @Test
  void itCanSayWhoWaitsForWhom() throws IOException {
    assertThat(harness.waits(ranks.links.getFirst())).isEmpty();
    ranks.barrier(1);
    ranks.lock(2, "x");
    Pending blocked = ranks.lock(0, "x");
    List<CoordinatorReply.Wait> waits = harness.waits(ranks.links.getFirst());
    String group = ranks.group + "/";
    assertThat(waits).hasSize(2);
    assertThat(waits.get(0).call()).isEqualTo("lock \"x\"");
    assertThat(waits.get(0).rank()).isZero();
    assertThat(waits.get(0).waitsFor()).containsExactly(group + 2);
    assertThat(waits.get(1).call()).isEqualTo("barrier #0");
    assertThat(waits.get(1).waitsFor()).containsExactly(group + 0, group + 2);
    assertThat(blocked.isDone()).isFalse();
  }
}
