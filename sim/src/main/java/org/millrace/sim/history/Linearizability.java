package org.millrace.sim.history;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides whether a history is linearizable: whether every call can be given an instant between
 * itself and its answer, so that the calls, in that order, are answered as they were. The search is
 * that of Wing and Gong with Lowe's memory of what was tried. Calls on keys that have nothing to do
 * with each other are searched separately. Stateless.
 */
public final class Linearizability {

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
   * @param explained the longest order that was found for the calls on one set of keys, if that
   *     does not explain all of them
   * @param rest calls on those keys that it leaves out
   */
  public record Outcome(Verdict verdict, List<Operation> explained, List<Operation> rest) {

    /** For people who ask why. */
    public String toText() {
      StringBuilder text = new StringBuilder(verdict + "\n");
      explained.forEach(one -> text.append("  then ").append(one).append('\n'));
      rest.forEach(one -> text.append("  but not ").append(one).append('\n'));
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

  /** One search. Used by one thread, once. */
  private static final class Search {

    /** What has been put in order, and what that makes of the state. */
    private record Place(BitSet done, NamesState state) {}

    /** A step on the way: before which state, by which operation. */
    private record Choice(NamesState before, int operation) {}

    private final List<Operation> operations;
    private final long most;
    private final Set<Place> tried = new HashSet<>();
    private final List<Choice> way = new ArrayList<>();
    private List<Integer> longest = List.of();

    Search(List<Operation> part, long most) {
      this.operations = part.stream().sorted(Comparator.comparingLong(Operation::called)).toList();
      this.most = most;
    }

    Outcome run() {
      BitSet done = new BitSet(operations.size());
      NamesState state = NamesState.EMPTY;
      int next = 0;
      while (!isExplained(done)) {
        Optional<NamesState> after = Optional.empty();
        int found = next;
        for (; found < operations.size() && after.isEmpty(); found++) {
          if (mayComeNext(done, found)) {
            after = untried(done, state, found);
          }
        }
        if (after.isPresent()) {
          way.add(new Choice(state, found - 1));
          done.set(found - 1);
          state = after.get();
          next = 0;
          remember();
        } else if (way.isEmpty()) {
          return failed(Verdict.NOT_LINEARIZABLE);
        } else {
          Choice last = way.removeLast();
          done.clear(last.operation);
          state = last.before;
          next = last.operation + 1;
        }
        if (tried.size() > most) {
          return failed(Verdict.UNDECIDED);
        }
      }
      return new Outcome(Verdict.LINEARIZABLE, List.of(), List.of());
    }

    /** What nobody knows of need not have happened. */
    private boolean isExplained(BitSet done) {
      for (int i = done.nextClearBit(0); i < operations.size(); i = done.nextClearBit(i + 1)) {
        if (!operations.get(i).isUnknown()) {
          return false;
        }
      }
      return true;
    }

    /** Unless another was answered before it was called, and has no place yet. */
    private boolean mayComeNext(BitSet done, int index) {
      if (done.get(index)) {
        return false;
      }
      long called = operations.get(index).called();
      for (int i = done.nextClearBit(0); i < operations.size(); i = done.nextClearBit(i + 1)) {
        Operation other = operations.get(i);
        if (other.called() > called) {
          return true;
        }
        if (other.answered() < called) {
          return false;
        }
      }
      return true;
    }

    private Optional<NamesState> untried(BitSet done, NamesState state, int index) {
      Optional<NamesState> after = state.after(operations.get(index));
      if (after.isEmpty()) {
        return after;
      }
      BitSet more = (BitSet) done.clone();
      more.set(index);
      return tried.add(new Place(more, after.get())) ? after : Optional.empty();
    }

    private void remember() {
      if (way.size() > longest.size()) {
        longest = way.stream().map(Choice::operation).toList();
      }
    }

    private Outcome failed(Verdict verdict) {
      List<Operation> explained = longest.stream().map(operations::get).toList();
      List<Operation> rest = new ArrayList<>();
      for (int i = 0; i < operations.size(); i++) {
        if (!longest.contains(i) && !operations.get(i).isUnknown()) {
          rest.add(operations.get(i));
        }
      }
      return new Outcome(verdict, explained, rest);
    }
  }
}
