package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.RankFailedException;
import org.millrace.message.Link;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.testing.Seeds;

final class AssembliesTest {

  private static final long SECOND = 1_000_000_000L;

  private static CoordinatorRequest.Assemble come(String job, int rank, int size) {
    return new CoordinatorRequest.Assemble(job, rank, size, "unix:/r" + rank, 10 * SECOND);
  }

  private static Pending start(Link link, String job, int rank, int size) {
    return Harness.start(link, come(job, rank, size));
  }

  /** Runs a test in simulated time, where half a minute is nothing. */
  private static void simulated(Body body) throws Exception {
    for (long seed : Seeds.of(3)) {
      SeededEnv env = SeededEnv.of(seed);
      env.run(
          () -> {
            try (Harness harness = new Harness(env, new MemoryDisk("test"))) {
              body.run(harness);
            } catch (IOException e) {
              throw new AssertionError(Seeds.replay(seed), e);
            }
          });
    }
  }

  private interface Body {
    void run(Harness harness) throws IOException;
  }

  @Test
  void ranksThatComeInAnyOrderAreAGroupTogether() throws Exception {
    simulated(
        harness -> {
          List<Link> links = IntStream.range(0, 5).mapToObj(_ -> harness.link("ada")).toList();
          List<Pending> pending = new ArrayList<>();
          for (int rank : new int[] {3, 0, 4, 1}) {
            pending.add(start(links.get(rank), "job", rank, 5));
          }
          assertThat(pending).noneMatch(Pending::isDone);
          pending.add(start(links.get(2), "job", 2, 5));
          CoordinatorReply.Assembled all =
              (CoordinatorReply.Assembled) harness.awaitAll(pending).getFirst();
          assertThat(harness.awaitAll(pending)).containsOnly(all);
          assertThat(all.inboxes())
              .containsExactly("unix:/r0", "unix:/r1", "unix:/r2", "unix:/r3", "unix:/r4");
          Harness.Ranks ranks = harness.new Ranks(all.group(), links);
          ranks.all("barrier", new org.millrace.protocol.Effect.None());
          for (int rank = 0; rank < 5; rank++) {
            harness.awaitAll(List.of(ranks.leave(rank, "")));
          }
          assertThat(harness.refused(links.get(0), new CoordinatorRequest.AskMembers(all.group())))
              .as("the group is over")
              .isEqualTo(ErrorCode.CLOSED);
        });
  }

  @Test
  void aHalfFormedGroupIsRefusedWithTheMissingRanks() throws Exception {
    simulated(
        harness -> {
          List<Pending> pending = new ArrayList<>();
          for (int rank : new int[] {0, 1, 3, 4, 6, 7}) {
            pending.add(start(harness.link("ada"), "job", rank, 8));
          }
          long begun = harness.env.nanoTime();
          MillraceException error = harness.sameRefusal(pending);
          assertThat(error)
              .isInstanceOf(RankFailedException.class)
              .hasMessage("job \"job\": ranks 2, 5 of 8 did not arrive within 10 s");
          assertThat(harness.env.nanoTime() - begun).isEqualTo(10 * SECOND);
          Pending again = start(harness.link("ada"), "job", 0, 1);
          harness.awaitAll(List.of(again));
        });
  }

  @Test
  void manyMissingRanksAreNotAllNamed() throws Exception {
    simulated(
        harness -> {
          List<Pending> pending = new ArrayList<>();
          for (int rank = 0; rank < 100; rank += 2) {
            pending.add(start(harness.link("ada"), "job", rank, 100));
          }
          assertThat(harness.sameRefusal(pending).getMessage())
              .contains("ranks 1, 3, 5,", "31 and 34 more of 100")
              .hasSizeLessThan(200);
        });
  }

  @Test
  void otherSizesAndRanksThatAreTakenAreRefusedToTheNewcomerAlone() throws Exception {
    simulated(
        harness -> {
          Pending first = start(harness.link("ada"), "job", 0, 3);
          Pending second = start(harness.link("ada"), "job", 1, 3);
          assertThat(harness.refusal(start(harness.link("ada"), "job", 2, 4)))
              .isInstanceOf(MixedCallException.class)
              .hasMessageContaining("ranks 0-1 announced 3 ranks, rank 2 announced 4");
          MillraceException taken = harness.refusal(start(harness.link("ada"), "job", 1, 3));
          assertThat(taken.code()).isEqualTo(ErrorCode.INVALID);
          assertThat(taken).hasMessageContainingAll("sessions 2 and 4", "rank 1", "unix:/r1");
          Pending third = start(harness.link("ada"), "job", 2, 3);
          assertThat(harness.awaitAll(List.of(first, second, third))).hasSize(3);
        });
  }

  @Test
  void whoAsksAgainTakesItsOwnPlace() throws Exception {
    simulated(
        harness -> {
          Link link = harness.link("ada");
          Pending lost = start(link, "job", 0, 2);
          Pending kept = start(link, "job", 0, 2);
          assertThat(harness.refusal(lost).code()).isEqualTo(ErrorCode.DEADLINE);
          Pending other = start(harness.link("ada"), "job", 1, 2);
          assertThat(harness.awaitAll(List.of(kept, other))).hasSize(2);
        });
  }

  @Test
  void aSessionThatGoesAwayIsMissingAgain() throws Exception {
    simulated(
        harness -> {
          Link goes = harness.link("ada");
          start(goes, "job", 1, 2);
          Pending stays = start(harness.link("ada"), "job2", 0, 2);
          goes.close();
          Pending zero = start(harness.link("ada"), "job", 0, 2);
          assertThat(zero.isDone()).isFalse();
          Pending one = start(harness.link("ada"), "job", 1, 2);
          assertThat(harness.awaitAll(List.of(zero, one))).hasSize(2);
          assertThat(stays.isDone()).isFalse();
          assertThat(harness.refusal(stays)).hasMessageContaining("rank 1 of 2");
        });
  }

  @Test
  void usersHaveJobsOfTheirOwn() throws Exception {
    simulated(
        harness -> {
          Pending ada = start(harness.link("ada"), "job", 0, 2);
          Pending bob = start(harness.link("bob"), "job", 1, 2);
          assertThat(ada.isDone() || bob.isDone()).isFalse();
          Pending other = start(harness.link("ada"), "job", 1, 2);
          long group =
              ((CoordinatorReply.Assembled) harness.awaitAll(List.of(ada, other)).getFirst())
                  .group();
          Link otherUser = harness.link("bob");
          assertThat(harness.refused(otherUser, new CoordinatorRequest.Join(group, 0)))
              .isEqualTo(ErrorCode.INVALID);
          assertThat(harness.refused(otherUser, new CoordinatorRequest.AskMembers(group)))
              .isEqualTo(ErrorCode.NOT_PERMITTED);
          assertThat(harness.refused(otherUser, new CoordinatorRequest.Regroup(group, 0, SECOND)))
              .isEqualTo(ErrorCode.INVALID);
        });
  }

  @Test
  void nonsenseIsRefused() throws IOException {
    try (Harness harness = new Harness()) {
      Link link = harness.link("ada");
      for (CoordinatorRequest nonsense :
          List.of(
              come("", 0, 1),
              come("x".repeat(2000), 0, 1),
              come("job", -1, 1),
              come("job", 1, 1),
              come("job", 0, 0),
              come("job", 0, Integer.MAX_VALUE),
              new CoordinatorRequest.Assemble("job", 0, 2, "", 0))) {
        assertThat(harness.refused(link, nonsense)).as("%s", nonsense).isEqualTo(ErrorCode.INVALID);
      }
    }
  }

  @Test
  void closingFailsAllWhoWait() throws IOException {
    Harness harness = new Harness();
    Pending waits = start(harness.link("ada"), "job", 0, 2);
    harness.close();
    assertThat(harness.refusal(waits).code()).isEqualTo(ErrorCode.CLOSED);
  }
}
