package org.millrace.launch.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.protocol.RankRequest;
import org.millrace.testing.Eventually;
import org.millrace.transfer.BrokenLink;

/** A rank's links to the others, of whom it may hear before it is told where they are. */
final class ParticipantLinksTest {

  /** A link that says in its failures where it goes. */
  private static Link to(int rank, String inbox) {
    return new BrokenLink(MillraceException.of(ErrorCode.CLOSED, rank + " at " + inbox));
  }

  private static void assertFails(Link link, ErrorCode code, String words) {
    assertThatThrownBy(() -> link.call(new RankRequest.Taken(), MemorySegment.NULL, Env.NEVER))
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }

  /** A message of another rank that was told earlier may have to be fetched from it. */
  @Test
  void whoAsksTooEarlyWaitsUntilTheRanksAreKnown() throws Exception {
    ParticipantLinks links =
        new ParticipantLinks(Env.real(), ParticipantLinksTest::to, 0, Long.MAX_VALUE / 4);
    FutureTask<Link> early = new FutureTask<>(() -> links.apply(1));
    Thread thread = Thread.ofPlatform().daemon().start(early);
    Eventually.holds(
        "it waits, or has failed",
        () ->
            early.isDone()
                || thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING);
    links.assembled(List.of("a", "b"));
    assertFails(early.get(), ErrorCode.CLOSED, "1 at b");
    assertThat(links.apply(1)).isSameAs(early.get());
  }

  @Test
  void aRankThatIsNeverToldAnythingFails() {
    SeededEnv env = SeededEnv.of(1); // in virtual time
    env.run(
        () ->
            assertFails(
                new ParticipantLinks(env, ParticipantLinksTest::to, 3, 1_000_000_000L).apply(1),
                ErrorCode.RANK_FAILED,
                "rank 3 does not know the addresses"));
  }

  /** Who sends a message says itself which rank it is. */
  @Test
  void ranksThatAreNotThereFail() {
    ParticipantLinks links = new ParticipantLinks(Env.real(), ParticipantLinksTest::to, 0, 0);
    links.assembled(List.of("a", "b"));
    for (int wrong : new int[] {-1, 2, Integer.MAX_VALUE}) {
      assertFails(links.apply(wrong), ErrorCode.PROTOCOL, wrong + " of 2");
    }
  }
}
