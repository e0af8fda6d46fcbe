package org.millrace.sim.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.sim.history.Linearizability.Outcome;
import org.millrace.sim.history.Linearizability.Verdict;

/**
 * Histories as several clients make them while coordinators come and go: good ones are accepted,
 * and those with one wrong answer are rejected, in a bounded number of states.
 */
final class PlantedHistoriesTest {

  private static final long MOST = 300_000;
  private static final int OF_EACH_KIND = 20;

  /** What a coordinator that is not the right one any more may do. */
  enum Wrong {
    STALE_READ,
    LOST_CREATE,
    DOUBLE_MOVE,
    HALF_RENAME,
    OLD_NAME_STAYS,
    SIZE_GOES_BACK,
    CREATED_TWICE,
    REMOVED_COMES_BACK
  }

  /** Writes calls of one more client, one after the other, on keys that nobody else changes. */
  private static final class Script {

    private final List<Operation> all;
    private final RandomGenerator random;
    private final String mine;
    private long now;

    Script(List<Operation> noise, RandomGenerator random) {
      this.all = new ArrayList<>(noise);
      this.random = random;
      this.mine = "x" + random.nextInt(1000);
      this.now = random.nextInt(200);
    }

    String name(String which) {
      return mine + which;
    }

    long key() {
      return 7_000;
    }

    /** Something is answered. */
    Script call(Call call, long answer) {
      long answered = now + 1 + random.nextInt(60);
      all.add(new Operation(9, now, answered, call, answer));
      now = answered + 1 + random.nextInt(60);
      return this;
    }

    /** Something is never answered. */
    Script unknown(Call call) {
      all.add(new Operation(9, now, Operation.NEVER, call, 0));
      return this;
    }
  }

  /** What all of a kind have in common, and then the right answers or a wrong one. */
  private static List<Operation> history(Wrong kind, boolean wrong, long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    List<Operation> noise = MadeHistory.of(random, 3, 30, 3, 12);
    Script script = new Script(noise, random);
    String a = script.name("a");
    String b = script.name("b");
    long key = script.key();
    // joins these names with those that all contend for
    script.call(new Call.Move(a, "n0"), -1).unknown(new Call.Stat(a)).unknown(new Call.At(key));
    switch (kind) {
      case STALE_READ ->
          script
              .call(new Call.Create(a, 5001), 5001)
              .call(new Call.Remove(a), 1)
              .call(new Call.Create(a, 5002), 5002)
              .call(new Call.Stat(a), wrong ? 5001 : 5002);
      case LOST_CREATE ->
          script
              .unknown(new Call.Create(a, 5001))
              .call(new Call.Create(b, 5002), 5002)
              .call(new Call.Stat(b), wrong ? -1 : 5002);
      case DOUBLE_MOVE ->
          script
              .call(new Call.Take(key, 8), 0)
              .call(new Call.Take(key, 8), 8)
              .call(new Call.At(key), wrong ? 24 : 16);
      case HALF_RENAME ->
          script
              .call(new Call.Create(a, 5001), 5001)
              .call(new Call.Rename(a, b), 1)
              .call(new Call.Stat(a), -1)
              .call(new Call.Stat(b), wrong ? -1 : 5001);
      case OLD_NAME_STAYS ->
          script
              .call(new Call.Create(a, 5001), 5001)
              .unknown(new Call.Rename(a, b))
              .call(new Call.Stat(b), 5001)
              .call(new Call.Stat(a), wrong ? 5001 : -1);
      case SIZE_GOES_BACK ->
          script
              .call(new Call.Resize(key, 10), 10)
              .call(new Call.Resize(key, 20), 20)
              .call(new Call.Size(key), 20)
              .call(new Call.Size(key), wrong ? 10 : 20);
      case CREATED_TWICE ->
          script
              .call(new Call.Create(a, 5001), 5001)
              .unknown(new Call.Create(b, 5003))
              .call(new Call.Create(a, 5002), wrong ? 5002 : -1);
      case REMOVED_COMES_BACK ->
          script
              .call(new Call.Create(a, 5001), 5001)
              .call(new Call.Remove(a), 1)
              .call(new Call.Stat(a), -1)
              .call(new Call.Stat(a), wrong ? 5001 : -1);
    }
    return script.all;
  }

  @ParameterizedTest
  @EnumSource
  void everyKindOfWrongAnswerIsRejectedAndTheRightOneAccepted(Wrong kind) {
    for (long seed = 1; seed <= OF_EACH_KIND; seed++) {
      Outcome good = Linearizability.check(history(kind, false, seed), MOST);
      assertThat(good.verdict())
          .as("seed %d: %s", seed, good.toText())
          .isEqualTo(Verdict.LINEARIZABLE);
      assertThat(Linearizability.check(history(kind, true, seed), MOST).verdict())
          .as("seed %d", seed)
          .isEqualTo(Verdict.NOT_LINEARIZABLE);
    }
  }

  /** As long as those of real coordinators, some of whose calls were never answered. */
  @Test
  void longHistoriesAreDecided() {
    for (long seed = 1; seed <= 5; seed++) {
      List<Operation> history = MadeHistory.of(new SplittableRandom(seed), 6, 150, 8, 60);
      Outcome outcome = Linearizability.check(history, MOST);
      assertThat(outcome.verdict())
          .as("seed %d: %s", seed, outcome.toText())
          .isEqualTo(Verdict.LINEARIZABLE);
    }
  }
}
