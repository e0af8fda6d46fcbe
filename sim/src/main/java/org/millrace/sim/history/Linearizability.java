package org.millrace.sim.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides whether a history is linearizable: whether every call can be given an instant between
 * itself and its answer, so that the calls, in that order, are answered as they were. Calls on keys
 * that have nothing to do with each other are searched separately, each by a {@link Search}; a
 * rename joins its two names. Stateless.
 */
public final class Linearizability {

  private static final int SHOWN = 40;

  private Linearizability() {}

  /** What is known of a history. */
  public enum Verdict {
    /** There is such an order. */
    LINEARIZABLE,
    /** There is none. */
    NOT_LINEARIZABLE,
    /** None was found before the search was given up. */
    UNDECIDED
  }

  /**
   * The outcome of a search.
   *
   * @param verdict what is known
   * @param explained the order that was found for the calls on one set of keys, if that does not
   *     explain all of them
   * @param rest calls on those keys that it leaves out, first the one that has no place
   */
  public record Outcome(Verdict verdict, List<Operation> explained, List<Operation> rest) {

    /** For people who ask why. */
    public String toText() {
      StringBuilder text = new StringBuilder(verdict + "\n");
      int left = Math.max(0, explained.size() - SHOWN);
      if (left > 0) {
        text.append("  first ").append(left).append(" others\n");
      }
      explained.stream().skip(left).forEach(one -> text.append("  then ").append(one).append('\n'));
      rest.stream().limit(SHOWN).forEach(one -> text.append("  but not ").append(one).append('\n'));
      return text.toString();
    }
  }

  /**
   * Searches.
   *
   * @param most how many states are looked at before the search is given up, for each set of keys
   */
  public static Outcome check(List<Operation> history, long most) {
    Outcome undecided = null;
    for (List<Operation> part : independent(history)) {
      Outcome one = new Search(part, most).run();
      if (one.verdict == Verdict.NOT_LINEARIZABLE) {
        return one;
      }
      if (one.verdict == Verdict.UNDECIDED) {
        undecided = one;
      }
    }
    return undecided != null ? undecided : new Outcome(Verdict.LINEARIZABLE, List.of(), List.of());
  }

  /** Divides a history into parts that share no key. */
  static Collection<List<Operation>> independent(List<Operation> history) {
    Map<String, String> above = new HashMap<>();
    for (Operation one : history) {
      List<String> keys = one.call().keys();
      String first = top(above, keys.getFirst());
      for (String key : keys) {
        above.put(top(above, key), first);
      }
    }
    Map<String, List<Operation>> parts = new HashMap<>();
    for (Operation one : history) {
      parts
          .computeIfAbsent(top(above, one.call().keys().getFirst()), _ -> new ArrayList<>())
          .add(one);
    }
    return parts.values();
  }

  private static String top(Map<String, String> above, String key) {
    String at = key;
    String next = above.getOrDefault(at, at);
    while (!next.equals(at)) {
      at = next;
      next = above.getOrDefault(at, at);
    }
    return at;
  }
}
