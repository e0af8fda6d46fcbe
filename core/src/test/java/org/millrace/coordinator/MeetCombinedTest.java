package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.group.Reach;
import org.millrace.error.DeadlineException;
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MixedCallException;
import org.millrace.error.RankFailedException;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.CoordinatorRequest.MeetCombined;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Failure;
import org.millrace.protocol.GatheredParts;

/** One rank comes to a meeting for several; six ranks of which 0 to 2, or 3 to 5, come so. */
final class MeetCombinedTest {

  private static final Effect NONE = new Effect.None();
  private static final CoordinatorReply.Met MET =
      new CoordinatorReply.Met(0, 0, List.of(10L, 11L, 12L, 13L, 14L, 15L));

  private Harness harness;
  private Harness.Ranks ranks;

  @BeforeEach
  void setUp() throws IOException {
    harness = new Harness();
    ranks = harness.ranks(6);
  }

  @AfterEach
  void tearDown() {
    harness.close();
  }

  private CoordinatorRequest.Meet meet(int rank, long number, String call, Failure failure) {
    return new CoordinatorRequest.Meet(
        ranks.group, rank, 0, number, call, 0, "", 10 + rank, NONE, failure, true);
  }

  private Pending inPerson(int rank, long number) {
    return ranks.start(rank, meet(rank, number, "barrier", Failure.NONE));
  }

  private Pending together(int first, long number, String call, Failure failure) {
    List<GatheredParts> parts = new ArrayList<>();
    for (int rank = first; rank < first + 3; rank++) {
      parts.add(
          GatheredParts.of(meet(rank, number, call, rank == first + 1 ? failure : Failure.NONE)));
    }
    GatheredParts all = GatheredParts.join(parts).orElseThrow();
    return ranks.start(first, new MeetCombined(ranks.group, 0, number, all));
  }

  private Pending together(int first, long number) {
    return together(first, number, "barrier", Failure.NONE);
  }

  @Test
  void eachWhoSpokeForOthersIsAnsweredOnce() throws IOException {
    Pending low = together(0, 0);
    assertThat(low.isDone()).isFalse();
    Pending high = together(3, 0);
    assertThat(harness.awaitAll(List.of(low, high))).containsOnly(MET);
  }

  @Test
  void ranksMayComeInPersonBeforeAndAfterOthersSpeakForThem() throws IOException {
    Pending before = inPerson(1, 0);
    Pending low = together(0, 0);
    Pending after = inPerson(2, 0);
    assertThat(before.isDone() || low.isDone() || after.isDone()).isFalse();
    Pending high = together(3, 0);
    assertThat(harness.awaitAll(List.of(before, low, after, high))).containsOnly(MET);
    // the way back of the answer may break: then they ask
    assertThat(harness.awaitAll(List.of(inPerson(0, 0), inPerson(4, 0)))).containsOnly(MET);
    assertThat(harness.refusal(inPersonTwice()).code()).isEqualTo(ErrorCode.INVALID);
  }

  private Pending inPersonTwice() {
    var _ = inPerson(0, 2);
    return inPerson(0, 2);
  }

  @Test
  void allMayComeInPersonAfterSomeWereSpokenFor() throws IOException {
    Pending low = together(0, 0);
    List<Pending> all = new ArrayList<>(List.of(low));
    for (int rank = 0; rank < 6; rank++) {
      all.add(inPerson(rank, 0));
    }
    assertThat(harness.awaitAll(all)).containsOnly(MET);
  }

  /** Its own part and that of the whole may overtake each other on the way. */
  @Test
  void whoSpeaksForOthersAfterAllHaveComeInPersonHearsTheSame() throws IOException {
    harness.awaitAll(List.of(together(0, 0), together(3, 0)));
    for (long number = 1; number < 4; number++) { // the end of a call, and the next one
      List<Pending> all = new ArrayList<>();
      for (int rank = 0; rank < 6; rank++) {
        all.add(inPerson(rank, number));
      }
      assertThat(harness.awaitAll(all)).containsOnly(MET);
      assertThat(harness.awaitAll(List.of(together(3, number)))).containsOnly(MET);
    }
  }

  /** The control: without the memory such a rank is refused. */
  @Test
  void answersAreRememberedAsLongAsAnybodyMayAskAndNoLonger() throws IOException {
    long newest = MeetCombined.REMEMBERED;
    for (long number = 0; number < newest; number += 2) {
      harness.awaitAll(List.of(together(0, number), together(3, number)));
    }
    assertThat(harness.awaitAll(List.of(inPerson(5, 0)))).containsOnly(MET);
    harness.awaitAll(List.of(together(0, newest), together(3, newest)));
    assertThat(harness.refusal(inPerson(5, 0)).code()).isEqualTo(ErrorCode.INVALID);
    assertThat(harness.awaitAll(List.of(inPerson(5, 2)))).containsOnly(MET);
  }

  @Test
  void troubleOfARankThatDidNotComeItselfFailsOnAll() {
    Pending low = together(0, 0, "barrier", new Failure(ErrorCode.DISK_FULL, "full"));
    Pending high = together(3, 0);
    List<Pending> all = List.of(low, high, inPerson(5, 0));
    assertThat(harness.sameRefusal(all))
        .isInstanceOf(DiskFullException.class)
        .hasMessage("rank 1: full");
  }

  @Test
  void whoCalledSomethingElseIsNamedToAll() {
    Pending low = together(0, 0);
    Pending high = together(3, 0, "allGather", Failure.NONE);
    List<Pending> all = List.of(low, high, inPerson(1, 0), inPerson(4, 0));
    assertThat(harness.sameRefusal(all))
        .isInstanceOf(MixedCallException.class)
        .hasMessageContaining("ranks 0-2 called barrier")
        .hasMessageContaining("ranks 3-5 called allGather");
  }

  @Test
  void aRankThatEndsAfterOthersSpokeForItFailsTheMeetingAsIfItHadComeItself() {
    Pending low = together(0, 0);
    ranks.leave(2, "killed");
    List<Pending> all = List.of(low, together(3, 0), inPerson(0, 0), inPerson(5, 0));
    assertThat(harness.sameRefusal(all))
        .isInstanceOf(RankFailedException.class)
        .hasMessageContaining("rank 2 of group")
        .hasMessageContaining("killed");
    assertThat(harness.refusal(together(0, 2))).isInstanceOf(RankFailedException.class);
  }

  @Test
  void aRankThatEndsWellAfterOthersSpokeForItHarmsNothing() throws IOException {
    Pending low = together(0, 0);
    ranks.leave(2, "");
    assertThat(harness.awaitAll(List.of(low, together(3, 0)))).containsOnly(MET);
  }

  @Test
  void aDeadlineNamesThoseForWhomNobodySpoke() throws IOException {
    Pending low = together(0, 0);
    Pending own = inPerson(1, 0);
    Pending high = inPerson(4, 0);
    harness.call(ranks.links.get(1), new CoordinatorRequest.Withdraw(ranks.group, 1, 0, 0));
    assertThat(harness.sameRefusal(List.of(low, own, high)))
        .isInstanceOf(DeadlineException.class)
        .message()
        .endsWith("; ranks 3, 5 did not arrive");
    // those who come later hear the same, whichever way they come
    assertThat(harness.sameRefusal(List.of(together(3, 0), inPerson(5, 0), inPerson(0, 0))))
        .isInstanceOf(DeadlineException.class);
  }

  @Test
  void onlyThoseWhoCameInPersonAreSeenToWait() throws IOException {
    var _ = together(0, 0);
    assertThat(harness.waits(ranks.links.getFirst())).isEmpty();
    var _ = inPerson(1, 0);
    List<CoordinatorReply.Wait> waits = harness.waits(ranks.links.getFirst());
    assertThat(waits).hasSize(1);
    assertThat(waits.getFirst().rank()).isEqualTo(1);
    assertThat(waits.getFirst().waitsFor()).hasSize(3);
  }

  @Test
  void whatCannotBeIsRefused() {
    GatheredParts good =
        new GatheredParts(0, "c", 0, "", List.of(1L, 2L), NONE, List.of(), Failure.NONE, 0);
    Effect exchange =
        new Effect.Exchange(Access.NOTHING, true, false, Reach.MAPPED, 0, Optional.empty());
    List<GatheredParts> wrong =
        List.of(
            new GatheredParts(0, "c", 0, "", List.of(), NONE, List.of(), Failure.NONE, 0),
            new GatheredParts(
                0,
                "c",
                0,
                "",
                List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L),
                NONE,
                List.of(),
                Failure.NONE,
                0),
            new GatheredParts(0, "c", 0, "", List.of(1L, 2L), exchange, List.of(), Failure.NONE, 0),
            new GatheredParts(
                0, "c", 0, "", List.of(1L, 2L), new Effect.Close(1), List.of(), Failure.NONE, 0),
            new GatheredParts(
                0,
                "c",
                0,
                "",
                List.of(1L, 2L),
                NONE,
                List.of(),
                new Failure(ErrorCode.DISK, "disk"),
                5),
            new GatheredParts(1, "c", 0, "", List.of(1L, 2L), NONE, List.of(), Failure.NONE, 0));
    for (GatheredParts one : wrong) {
      Pending refused = ranks.start(0, new MeetCombined(ranks.group, 0, 0, one));
      assertThat(harness.refusal(refused).code()).as(one.toString()).isEqualTo(ErrorCode.INVALID);
    }
    Pending negative = ranks.start(0, new MeetCombined(ranks.group, 0, -2, good));
    assertThat(harness.refusal(negative).code()).isEqualTo(ErrorCode.INVALID);
    assertThat(ranks.start(0, new MeetCombined(ranks.group, 0, 0, good)).isDone()).isFalse();
  }
}
