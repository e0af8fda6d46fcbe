package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.RankFailedException;
import org.millrace.message.Link;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorReply.Regrouped;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.testing.Seeds;

final class RegroupsTest {

  private static final long SECOND = 1_000_000_000L;
  private static final Effect NONE = new Effect.None();

  private interface Body {
    void run(Harness harness, Harness.Ranks ranks) throws IOException;
  }

  private static void simulated(Body body) {
    for (long seed : Seeds.of(3)) {
      SeededEnv env = SeededEnv.of(seed);
      env.run(
          () -> {
            try (Harness harness = new Harness(env, new MemoryDisk("test"))) {
              body.run(harness, harness.ranks(5, "ada"));
            } catch (IOException e) {
              throw new AssertionError(Seeds.replay(seed), e);
            }
          });
    }
  }

  private static Pending regroup(Harness.Ranks ranks, int rank) {
    return ranks.start(rank, new CoordinatorRequest.Regroup(ranks.group, rank, 10 * SECOND));
  }

  private static List<Pending> regroup(Harness.Ranks ranks, int... who) {
    List<Pending> pending = new ArrayList<>();
    for (int rank : who) {
      pending.add(regroup(ranks, rank));
    }
    return pending;
  }

  @Test
  void theLivingGoOnInTheOrderOfTheirOldNumbers() {
    simulated(
        (harness, ranks) -> {
          ranks.links.get(1).close();
          List<Pending> pending = regroup(ranks, 4, 0, 3);
          assertThat(pending).noneMatch(Pending::isDone);
          pending.add(regroup(ranks, 2));
          List<org.millrace.protocol.CoordinatorReply> replies = new ArrayList<>();
          harness.awaitAll(pending).forEach(r -> replies.add((CoordinatorReply) r));
          long group = ((Regrouped) replies.getFirst()).group();
          List<Integer> former = List.of(0, 2, 3, 4);
          assertThat(replies)
              .containsExactly(
                  new Regrouped(group, 3, former),
                  new Regrouped(group, 0, former),
                  new Regrouped(group, 2, former),
                  new Regrouped(group, 1, former));
          List<Link> links = former.stream().map(ranks.links::get).toList();
          Harness.Ranks fresh = harness.new Ranks(group, links);
          fresh.all("barrier", NONE);
          CoordinatorReply.Opened open = fresh.open("f", Harness.CREATE);
          fresh.closeFile(open.open());
          // who leaves the group it began in leaves this one, too
          harness.awaitAll(List.of(ranks.leave(2, "tired")));
          assertThat(harness.refusal(fresh.barrier(0)))
              .isInstanceOf(RankFailedException.class)
              .hasMessageContainingAll("rank 1 of group " + group, "tired");
        });
  }

  @Test
  void whatWaitsInTheOldGroupFailsAndSoDoesWhatComesLater() {
    simulated(
        (harness, ranks) -> {
          CoordinatorReply.Opened open = ranks.open("f", Harness.CREATE);
          Pending inGroup = ranks.barrier(0);
          Pending onFile = ranks.start(0, ranks.meeting(0, open.open(), 0, "read", 0, NONE));
          Pending first = regroup(ranks, 4);
          for (Pending waits : List.of(inGroup, onFile)) {
            assertThat(harness.refusal(waits))
                .isInstanceOf(RankFailedException.class)
                .hasMessageContaining("rank 4 of group");
          }
          assertThat(harness.refusal(ranks.barrier(1))).isInstanceOf(RankFailedException.class);
          assertThat(harness.refusal(ranks.barrier(4))).isInstanceOf(RankFailedException.class);
          CoordinatorReply.Members gone =
              (CoordinatorReply.Members)
                  harness.call(ranks.links.get(0), new CoordinatorRequest.AskMembers(ranks.group));
          assertThat(gone.gone()).containsOnlyKeys(4);
          assertThat(harness.waits(ranks.links.get(0)))
              .singleElement()
              .satisfies(
                  wait -> {
                    assertThat(wait.call()).isEqualTo("regroup");
                    assertThat(wait.waitsFor()).hasSize(4);
                  });
          List<Pending> rest = regroup(ranks, 0, 1, 2, 3);
          assertThat(harness.awaitAll(List.of(first, rest.get(0)))).hasSize(2);
        });
  }

  @Test
  void whoDiesMeanwhileIsNotWaitedFor() {
    simulated(
        (harness, ranks) -> {
          List<Pending> pending = regroup(ranks, 0, 1, 2);
          ranks.links.get(1).close();
          assertThat(harness.refusal(pending.get(1))).isInstanceOf(RankFailedException.class);
          ranks.links.get(3).close();
          assertThat(pending.get(0).isDone()).isFalse();
          harness.awaitAll(List.of(ranks.leave(4, "")));
          assertThat(harness.awaitAll(List.of(pending.get(0), pending.get(2))))
              .extracting(reply -> ((Regrouped) reply).former())
              .containsOnly(List.of(0, 2));
        });
  }

  @Test
  void theLivingThatDoNotComeAreNamedAndItCanBeTriedAgain() {
    simulated(
        (harness, ranks) -> {
          ranks.links.get(0).close();
          long begun = harness.env.nanoTime();
          assertThat(harness.sameRefusal(regroup(ranks, 1, 4)))
              .isInstanceOf(DeadlineException.class)
              .hasMessage(
                  "group " + ranks.group + " cannot regroup: ranks 2-3 did not arrive within 10 s");
          assertThat(harness.env.nanoTime() - begun).isEqualTo(10 * SECOND);
          assertThat(harness.awaitAll(regroup(ranks, 4, 3, 2, 1))).hasSize(4);
        });
  }

  @Test
  void opensOfTheOldGroupEndWithIt() {
    simulated(
        (harness, ranks) -> {
          CoordinatorReply.Opened open = ranks.open("f", Harness.DELETE_ON_CLOSE);
          ranks.links.get(0).close();
          Regrouped made = (Regrouped) harness.awaitAll(regroup(ranks, 1, 2, 3, 4)).getFirst();
          Link link = harness.link("ada");
          assertThat(harness.refused(link, new CoordinatorRequest.Remove("f")))
              .isEqualTo(ErrorCode.IN_USE);
          for (int rank = 1; rank < 5; rank++) {
            harness.awaitAll(List.of(ranks.leave(rank, "")));
          }
          assertThat(harness.refused(link, new CoordinatorRequest.Stat("f")))
              .isEqualTo(ErrorCode.NO_SUCH_NAME);
          assertThat(harness.refused(link, new CoordinatorRequest.AskMembers(made.group())))
              .isEqualTo(ErrorCode.CLOSED);
          assertThat(open.open()).isPositive();
        });
  }
}
