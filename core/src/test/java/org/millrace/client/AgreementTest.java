package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.client.Agreement.Agreed;
import org.millrace.client.Agreement.Different;
import org.millrace.client.Agreement.Outcome;
import org.millrace.client.Agreement.Refused;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.RankFailedException;
import org.millrace.testing.Seeds;

/** All ranks learn the same before a call begins, also if one comes late, differs or cannot. */
final class AgreementTest {

  private static void run(int ranks, Program program) {
    for (long seed : Seeds.of(20)) {
      try {
        GroupOperationsTest.runTimed(SeededEnv.of(seed), ranks, ClusterOptions.DEFAULT, program);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(Seeds.replay(seed), e);
      }
    }
  }

  /** One rank is late, each in turn: it has other things to do first. */
  private static void late(Rank rank, int who) throws IOException {
    for (int i = 0; rank.number() == who && i < 20; i++) {
      rank.names().list("");
    }
  }

  /** All ranks must come to the same outcome: they tell each other what they were told. */
  private static Outcome same(Rank rank, Agreement mine) throws IOException {
    Outcome outcome = rank.agree(mine);
    List<String> all =
        rank.allGather(outcome.toString().getBytes(StandardCharsets.UTF_8)).stream()
            .map(one -> new String(one, StandardCharsets.UTF_8))
            .toList();
    assertThat(all).containsOnly(outcome.toString());
    return outcome;
  }

  @Test
  void ranksThatSayTheSameGoOnThoughOneIsLate() {
    run(
        4,
        rank -> {
          for (int who = 0; who < 4; who++) {
            late(rank, who);
            Outcome outcome = same(rank, Agreement.on("open", "name", 7, new int[] {1, 2}));
            assertThat(outcome).isEqualTo(new Agreed());
            assertThat(outcome.problem()).isEmpty();
            outcome.orThrow();
          }
        });
  }

  @Test
  void differentArgumentsAreToldToAllWithTheRank() {
    run(
        4,
        rank -> {
          late(rank, 2);
          boolean odd = rank.number() == 2;
          Outcome outcome = same(rank, Agreement.on("open", odd ? "b" : "a", 1));
          assertThat(outcome)
              .isEqualTo(
                  new Different(2, true, "rank 0 calls open[a, 1], rank 2 calls open[b, 1]"));
          assertThatThrownBy(outcome::orThrow).isInstanceOf(MixedCallException.class);
          assertThat(same(rank, Agreement.on("next"))).isEqualTo(new Agreed()); // in step again
        });
  }

  @Test
  void argumentsThatAreNullOrOfOtherLengthDiffer() {
    run(
        2,
        rank -> {
          int r = rank.number();
          Object[] mine = new Object[1];
          if (r == 1) {
            mine[0] = "a";
          }
          assertThat(same(rank, Agreement.on("open", mine))).isInstanceOf(Different.class);
          assertThat(same(rank, Agreement.on("open", new Object[r]))).isInstanceOf(Different.class);
        });
  }

  @Test
  void differentCallsAreToldBeforeAnythingElse() {
    run(
        3,
        rank -> {
          int r = rank.number();
          Agreement mine = Agreement.on(r == 1 ? "close" : "open", r);
          Outcome outcome = same(rank, r == 0 ? mine.refusing(3, "no") : mine);
          assertThat(outcome)
              .isEqualTo(new Different(1, false, "rank 0 calls open[0], rank 1 calls close[1]"));
        });
  }

  @Test
  void whyARankCannotReachesAllAsAValue() {
    run(
        4,
        rank -> {
          for (int who = 0; who < 4; who++) {
            late(rank, 3 - who);
            Agreement mine = Agreement.on("write", rank.number()); // what else differs is no matter
            int refusing = who;
            Outcome outcome =
                same(rank, rank.number() >= who ? mine.refusing(40 + rank.number(), "full") : mine);
            assertThat(outcome)
                .isInstanceOfSatisfying(
                    Refused.class,
                    one -> {
                      assertThat(one.rank()).isEqualTo(refusing); // the lowest of several
                      assertThat(one.refusal().reason()).isEqualTo(40 + refusing);
                    });
            assertThatThrownBy(outcome::orThrow)
                .isInstanceOfSatisfying(
                    MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
                .hasMessage("rank " + who + ": full");
            assertThatThrownBy(() -> outcome.orElseThrow(IllegalStateException::new))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("rank " + who + ": full");
          }
        });
  }

  @Test
  void aRankWhoseOwnCheckFailsComesAllTheSame() {
    run(
        3,
        rank -> {
          int[] sizes = {1, 2, 0};
          Agreement.Check check = () -> Math.floorDiv(1, sizes[rank.number()]);
          assertThat(same(rank, Agreement.on("make").checking(check)).problem())
              .contains("rank 2: / by zero");
          Agreement.Check io =
              () -> {
                if (rank.number() == 1) {
                  throw new IOException();
                }
              };
          assertThat(same(rank, Agreement.on("make").checking(io)).problem())
              .contains("rank 1: java.io.IOException");
        });
  }

  @Test
  void aRankThatNeverComesIsMissed() {
    run(
        3,
        rank -> {
          if (rank.number() != 1) {
            assertThatThrownBy(() -> rank.agree(Agreement.on("open")))
                .isInstanceOf(RankFailedException.class)
                .hasMessageContaining("rank 1");
          }
        });
  }

  @Test
  void aRankThatIsInAnotherCallAltogetherIsAMixedCall() {
    run(
        2,
        rank ->
            assertThatThrownBy(
                    () -> {
                      if (rank.number() == 0) {
                        rank.agree(Agreement.on("open"));
                      } else {
                        rank.barrier();
                      }
                    })
                .isInstanceOf(MixedCallException.class));
  }
}
