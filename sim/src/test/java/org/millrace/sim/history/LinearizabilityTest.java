package org.millrace.sim.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.sim.history.Linearizability.Verdict;

/**
 * Histories that must be accepted and histories that must be rejected, and all small ones as a
 * search through every order decides them.
 *
 * <p>A history is written as calls with the instants of call and answer: {@code "create a 1 = 1 @ 0
 * 2; stat a = ? @ 1"}; a question mark is an answer that nobody got.
 */
final class LinearizabilityTest {

  private static final long MOST = 1_000_000;

  private static List<Operation> history(String text) {
    List<Operation> all = new ArrayList<>();
    for (String one : text.split(";", -1)) {
      String[] halves = one.strip().split(" @ ", -1);
      String[] times = halves[1].split(" ", -1);
      String[] sides = halves[0].split(" = ", -1);
      boolean unknown = sides[1].equals("?");
      all.add(
          new Operation(
              all.size(),
              Long.parseLong(times[0]),
              unknown ? Operation.NEVER : Long.parseLong(times[1]),
              call(sides[0].split(" ", -1)),
              unknown ? 0 : Long.parseLong(sides[1])));
    }
    return all;
  }

  private static Call call(String[] words) {
    return switch (words[0]) {
      case "create" -> new Call.Create(words[1], Long.parseLong(words[2]));
      case "remove" -> new Call.Remove(words[1]);
      case "rename" -> new Call.Rename(words[1], words[2]);
      case "move" -> new Call.Move(words[1], words[2]);
      case "stat" -> new Call.Stat(words[1]);
      case "resize" -> new Call.Resize(Long.parseLong(words[1]), Long.parseLong(words[2]));
      case "size" -> new Call.Size(Long.parseLong(words[1]));
      case "take" -> new Call.Take(Long.parseLong(words[1]), Long.parseLong(words[2]));
      case "seek" -> new Call.Seek(Long.parseLong(words[1]), Long.parseLong(words[2]));
      case "at" -> new Call.At(Long.parseLong(words[1]));
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  private static Verdict verdict(String text) {
    return Linearizability.check(history(text), MOST).verdict();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "create a 1 = 1 @ 0 1; stat a = 1 @ 2 3",
        "create a 1 = 1 @ 0 9; stat a = -1 @ 1 2; stat a = 1 @ 3 4",
        "create a 1 = 1 @ 0 5; create a 2 = -1 @ 1 6",
        "create a 1 = -1 @ 0 5; create a 2 = 2 @ 1 6",
        "create a 1 = ? @ 0; stat a = 1 @ 10 11",
        "create a 1 = ? @ 0; stat a = -1 @ 10 11",
        "create a 1 = ? @ 0; stat a = -1 @ 10 11; stat a = 1 @ 12 13",
        "create a 1 = 1 @ 0 1; rename a b = 1 @ 2 8; stat a = -1 @ 3 4; stat b = 1 @ 5 6",
        "create a 1 = 1 @ 0 1; rename a b = 1 @ 2 8; stat b = 1 @ 3 4; stat a = -1 @ 5 6",
        "create a 1 = 1 @ 0 1; rename a b = 1 @ 2 8; stat a = 1 @ 3 4; stat b = -1 @ 3 4",
        "create a 1 = 1 @ 0 1; create b 2 = 2 @ 0 1; rename a b = 1 @ 2 3; stat b = 1 @ 4 5",
        "create a 1 = 1 @ 0 1; remove a = 1 @ 2 5; remove a = -1 @ 2 5",
        "create a 1 = 1 @ 0 1; remove a = ? @ 2; create a 2 = 2 @ 3 4",
        "create a 1 = 1 @ 0 1; rename a a = 1 @ 2 3; stat a = 1 @ 4 5",
        "create a 1 = 1 @ 0 1; create b 2 = 2 @ 0 1; move a b = -2 @ 2 9; remove b = 1 @ 3 4",
        "resize 1 10 = 10 @ 0 5; size 1 = 0 @ 1 2; size 1 = 10 @ 3 4",
        "resize 1 10 = 10 @ 0 5; resize 1 20 = 20 @ 1 6; size 1 = 10 @ 7 8",
        "take 1 8 = 0 @ 0 5; take 1 8 = 8 @ 1 6; at 1 = 16 @ 7 8",
        "take 1 8 = 8 @ 0 5; take 1 8 = 0 @ 1 6; at 1 = 16 @ 7 8",
        "take 1 8 = ? @ 0; take 1 8 = 8 @ 9 10; at 1 = 16 @ 11 12",
        "take 1 8 = ? @ 0; take 1 8 = 0 @ 9 10; at 1 = 8 @ 11 12; at 1 = 16 @ 13 14",
        "seek 1 100 = 100 @ 0 9; take 1 8 = 0 @ 1 2; take 1 8 = 100 @ 3 4; at 1 = 108 @ 10 11",
        "take 1 8 = 0 @ 0 1; take 2 8 = 0 @ 0 1; create a 1 = 1 @ 0 1; size 1 = 0 @ 0 1"
      })
  void historiesThatSomeOrderExplainsAreAccepted(String text) {
    assertThat(verdict(text)).isEqualTo(Verdict.LINEARIZABLE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "create a 1 = 1 @ 0 1; stat a = -1 @ 2 3",
        "create a 1 = 1 @ 0 9; stat a = 1 @ 1 2; stat a = -1 @ 3 4",
        "create a 1 = 1 @ 0 5; create a 2 = 2 @ 1 6",
        "create a 1 = -1 @ 0 5; create a 2 = -1 @ 1 6",
        "create a 1 = ? @ 5; stat a = 1 @ 0 4",
        "create a 1 = ? @ 0; stat a = 1 @ 10 11; stat a = -1 @ 12 13",
        "create a 1 = 1 @ 0 1; rename a b = 1 @ 2 8; stat a = -1 @ 3 4; stat b = -1 @ 5 6",
        "create a 1 = 1 @ 0 1; rename a b = 1 @ 2 8; stat b = 1 @ 3 4; stat a = 1 @ 5 6",
        "create a 1 = 1 @ 0 1; rename a b = 1 @ 2 3; stat a = 1 @ 4 5",
        "create a 1 = 1 @ 0 1; create b 2 = 2 @ 0 1; rename a b = 1 @ 2 3; stat b = 2 @ 4 5",
        "create a 1 = 1 @ 0 1; remove a = 1 @ 2 5; remove a = 1 @ 2 5",
        "create a 1 = 1 @ 0 1; remove a = 1 @ 2 3; stat a = 1 @ 4 5",
        "rename a b = 1 @ 0 9; stat b = 1 @ 10 11",
        "create a 1 = 1 @ 0 1; create b 2 = 2 @ 0 1; move a b = 1 @ 2 9; stat a = -1 @ 3 4",
        "resize 1 10 = 10 @ 0 5; size 1 = 10 @ 1 2; size 1 = 0 @ 3 4",
        "resize 1 10 = 10 @ 0 1; resize 1 20 = 20 @ 2 3; size 1 = 10 @ 4 5",
        "take 1 8 = 0 @ 0 5; take 1 8 = 0 @ 1 6",
        "take 1 8 = 0 @ 0 5; take 1 8 = 16 @ 1 6",
        "take 1 8 = 8 @ 0 1; take 1 8 = 0 @ 2 3",
        "take 1 8 = ? @ 0; take 1 8 = 8 @ 9 10; at 1 = 8 @ 11 12",
        "take 1 8 = ? @ 0; take 1 8 = 0 @ 9 10; at 1 = 24 @ 11 12",
        "seek 1 100 = 100 @ 0 1; take 1 8 = 0 @ 2 3",
        "take 1 8 = 0 @ 0 1; take 1 8 = 8 @ 2 3; at 1 = 8 @ 4 5"
      })
  void historiesThatNoOrderExplainsAreRejected(String text) {
    assertThat(verdict(text)).isEqualTo(Verdict.NOT_LINEARIZABLE);
  }

  @Test
  void aRejectionShowsHowFarTheAnswersCanBeExplained() {
    String text =
        Linearizability.check(history("create a 1 = 1 @ 0 1; stat a = -1 @ 2 3"), MOST).toText();
    assertThat(text).contains("then client 0: Create", "but not client 1: Stat");
  }

  @Test
  void aSearchThatTakesTooLongSaysSo() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 14; i++) {
      text.append("take 1 %d = ? @ 0; ".formatted(1 << i));
    }
    text.append("at 1 = 0 @ 1 2; at 1 = 16385 @ 3 4");
    assertThat(Linearizability.check(history(text.toString()), 100).verdict())
        .isEqualTo(Verdict.UNDECIDED);
  }

  @Test
  void partsShareNoKeyAndRenamesJoinTheirNames() {
    var parts =
        Linearizability.independent(
            history(
                "create a 1 = 1 @ 0 1; create b 2 = 2 @ 0 1; rename b c = 1 @ 2 3; stat c = 2 @ 4 5;"
                    + " at 1 = 0 @ 0 1"));
    assertThat(parts).hasSize(3);
    assertThat(parts).anyMatch(part -> part.size() == 3);
  }

  /** Small histories, some made to be right and some by chance, against a search of all orders. */
  @Test
  void smallHistoriesAreDecidedAsAllOrdersSay() {
    int accepted = 0;
    int rejected = 0;
    for (long seed = 1; seed <= 3000; seed++) {
      long number = seed;
      List<Operation> history = random(new SplittableRandom(seed));
      boolean expected = explains(NamesState.EMPTY, history);
      assertThat(Linearizability.check(history, MOST).verdict() == Verdict.LINEARIZABLE)
          .as(() -> "seed " + number + ": " + history)
          .isEqualTo(expected);
      accepted += expected ? 1 : 0;
      rejected += expected ? 0 : 1;
    }
    assertThat(accepted).isGreaterThan(100);
    assertThat(rejected).isGreaterThan(100);
  }

  private static List<Operation> random(RandomGenerator random) {
    List<Operation> history = new ArrayList<>();
    NamesState state = NamesState.EMPTY;
    int count = 1 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      Call call = randomCall(random, i + 1);
      long instant = 4L * i;
      boolean unknown = random.nextInt(6) == 0;
      long answer = random.nextInt(5) == 0 ? random.nextInt(-1, 4) : state.answer(call);
      if (!unknown || random.nextBoolean()) {
        state = state.after(new Operation(0, 0, Operation.NEVER, call, 0)).orElseThrow();
      }
      history.add(
          new Operation(
              i,
              Math.max(0, instant - random.nextInt(12)),
              unknown ? Operation.NEVER : instant + random.nextInt(12),
              call,
              unknown ? 0 : answer));
    }
    return history;
  }

  private static Call randomCall(RandomGenerator random, long id) {
    String name = random.nextBoolean() ? "a" : "b";
    return switch (random.nextInt(8)) {
      case 0, 1 -> new Call.Create(name, id);
      case 2 -> new Call.Remove(name);
      case 3 -> new Call.Rename(name, random.nextBoolean() ? "a" : "b");
      case 4 -> new Call.Take(1, 1);
      case 5 -> new Call.At(1);
      case 6 -> new Call.Move(name, name.equals("a") ? "b" : "a");
      default -> new Call.Stat(name);
    };
  }

  /** Whether some order explains what is left. */
  private static boolean explains(NamesState state, List<Operation> left) {
    if (left.stream().allMatch(Operation::isUnknown)) {
      return true;
    }
    for (Operation next : left) {
      boolean late =
          left.stream().anyMatch(other -> other != next && other.answered() < next.called());
      Optional<NamesState> after = late ? Optional.empty() : state.after(next);
      if (after.isPresent()) {
        List<Operation> rest = new ArrayList<>(left);
        rest.remove(next);
        if (explains(after.get(), rest)) {
          return true;
        }
      }
    }
    return false;
  }
}
