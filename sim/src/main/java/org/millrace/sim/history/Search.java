package org.millrace.sim.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.millrace.sim.history.Linearizability.Outcome;
import org.millrace.sim.history.Linearizability.Verdict;

/**
 * One search for an order that explains the calls on keys that hang together.
 *
 * <p>It goes through the history in time and keeps all places where the object may be: its state,
 * and which calls have taken effect of those that are not answered yet. Calls take effect just in
 * time, when one of them is answered (Lowe, <i>Testing for linearizability</i>, 2017); what was
 * tried before is remembered (Wing and Gong's search with his memory). These rules keep the places
 * few, and lose none that matters:
 *
 * <ul>
 *   <li>A call that is answered as the state says and changes nothing takes effect at once: it can
 *       be left out of any order without a difference to the others.
 *   <li>Before a call is answered only those take effect that have to do with it, by their keys or
 *       through others: all others can as well do so later.
 *   <li>A call of which nobody knows the outcome takes effect only where it changes something, and
 *       of several such calls that ask the same the earliest comes first.
 *   <li>Of two places of the same state the one is dropped that has used up more such calls: they
 *       need not happen, so whatever explains the rest from there does so from the other one.
 * </ul>
 *
 * <p>Used by one thread, once.
 */
final class Search {

  /** A call that has taken effect, after those before. */
  private record Step(int operation, @Nullable Step before, int length) {}

  /**
   * Where the object may be.
   *
   * @param state of it
   * @param done calls that have taken effect, and are answered later
   * @param used calls of unknown outcome that have taken effect
   * @param last how it came there
   */
  private record Place(NamesState state, BitSet done, BitSet used, @Nullable Step last) {

    int length() {
      return last == null ? 0 : last.length;
    }
  }

  /** What two places must have in common to be compared. */
  private record Key(NamesState state, BitSet done) {}

  /** Places of which none is better than another. */
  private static final class Places {

    private final Map<Key, List<Place>> all = new HashMap<>();

    /** Adds one, unless there is a better one. */
    boolean add(Place fresh) {
      List<Place> same =
          all.computeIfAbsent(new Key(fresh.state, fresh.done), _ -> new ArrayList<>());
      if (same.stream().anyMatch(one -> isPart(one.used, fresh.used))) {
        return false;
      }
      same.removeIf(one -> isPart(fresh.used, one.used));
      same.add(fresh);
      return true;
    }

    private static boolean isPart(BitSet some, BitSet all) {
      BitSet more = (BitSet) some.clone();
      more.andNot(all);
      return more.isEmpty();
    }

    List<Place> list() {
      return all.values().stream().flatMap(List::stream).toList();
    }
  }

  /** Something that happens: a call, or its answer. */
  private record Event(long at, boolean answer, int operation) {}

  // constant after construction
  private final List<Operation> operations;
  private final long most;

  private final BitSet open = new BitSet(); // called, and not answered
  private long looked;

  Search(List<Operation> part, long most) {
    this.operations =
        part.stream()
            .filter(one -> !one.isUnknown() || one.call().changes())
            .sorted(Comparator.comparingLong(Operation::called))
            .toList();
    this.most = most;
  }

  Outcome run() {
    List<Place> places = List.of(new Place(NamesState.EMPTY, new BitSet(), new BitSet(), null));
    for (Event event : events()) {
      if (!event.answer) {
        open.set(event.operation);
        continue;
      }
      List<Place> next = answered(places, event.operation);
      if (looked > most) {
        return failed(Verdict.UNDECIDED, places, event.operation);
      }
      if (next.isEmpty()) {
        return failed(Verdict.NOT_LINEARIZABLE, places, event.operation);
      }
      open.clear(event.operation);
      places = next;
    }
    return new Outcome(Verdict.LINEARIZABLE, List.of(), List.of());
  }

  /** Calls before answers of the same instant: they are concurrent. */
  private List<Event> events() {
    List<Event> all = new ArrayList<>();
    for (int i = 0; i < operations.size(); i++) {
      Operation one = operations.get(i);
      all.add(new Event(one.called(), false, i));
      if (!one.isUnknown()) {
        all.add(new Event(one.answered(), true, i));
      }
    }
    all.sort(Comparator.comparingLong(Event::at).thenComparing(Event::answer));
    return all;
  }

  /** All places after a call was answered: there it has taken effect. */
  private List<Place> answered(List<Place> before, int operation) {
    BitSet concerned = concerned(operation);
    Places after = new Places();
    Places tried = new Places();
    Deque<Place> left = new ArrayDeque<>();
    before.forEach(place -> left.add(settled(place)));
    while (!left.isEmpty() && looked <= most) {
      Place place = left.removeLast();
      if (!tried.add(place)) {
        continue;
      }
      looked++;
      if (place.done.get(operation)) {
        BitSet rest = (BitSet) place.done.clone();
        rest.clear(operation);
        after.add(new Place(place.state, rest, place.used, place.last));
        continue;
      }
      Set<Call> asked = new HashSet<>();
      for (int i = concerned.nextSetBit(0); i >= 0; i = concerned.nextSetBit(i + 1)) {
        boolean unknown = operations.get(i).isUnknown();
        if (place.done.get(i)
            || place.used.get(i)
            || unknown && !asked.add(operations.get(i).call())) {
          continue;
        }
        step(place, i).ifPresent(next -> left.add(settled(next)));
      }
    }
    return after.list();
  }

  /** Calls under way that share a key with one, or with others that do. */
  private BitSet concerned(int operation) {
    BitSet found = new BitSet();
    found.set(operation);
    Set<String> keys = new HashSet<>(operations.get(operation).call().keys());
    boolean more = true;
    while (more) {
      more = false;
      for (int i = open.nextSetBit(0); i >= 0; i = open.nextSetBit(i + 1)) {
        List<String> its = operations.get(i).call().keys();
        if (!found.get(i) && its.stream().anyMatch(keys::contains)) {
          found.set(i);
          more |= keys.addAll(its);
        }
      }
    }
    return found;
  }

  /** Where a call leads; empty if it cannot be answered as it was, or has no effect worth it. */
  private Optional<Place> step(Place from, int index) {
    Operation operation = operations.get(index);
    Optional<NamesState> state = from.state.after(operation);
    if (state.isEmpty() || operation.isUnknown() && state.get().equals(from.state)) {
      return Optional.empty();
    }
    BitSet set = (BitSet) (operation.isUnknown() ? from.used : from.done).clone();
    set.set(index);
    Step step = new Step(index, from.last, from.length() + 1);
    return Optional.of(
        operation.isUnknown()
            ? new Place(state.get(), from.done, set, step)
            : new Place(state.get(), set, from.used, step));
  }

  /** After all calls that are answered as the state says, and change nothing. */
  private Place settled(Place place) {
    Place now = place;
    for (int i = open.nextSetBit(0); i >= 0; i = open.nextSetBit(i + 1)) {
      if (!operations.get(i).isUnknown() && !now.done.get(i)) {
        Optional<Place> next = step(now, i);
        if (next.isPresent() && next.get().state.equals(now.state)) {
          now = next.get();
        }
      }
    }
    return now;
  }

  private Outcome failed(Verdict verdict, List<Place> places, int operation) {
    Place longest = places.stream().max(Comparator.comparingInt(Place::length)).orElseThrow();
    List<Operation> explained = new ArrayList<>();
    BitSet placed = new BitSet();
    for (Step step = longest.last; step != null; step = step.before) {
      explained.addFirst(operations.get(step.operation));
      placed.set(step.operation);
    }
    List<Operation> rest = new ArrayList<>();
    rest.add(operations.get(operation));
    for (int i = 0; i < operations.size(); i++) {
      if (i != operation && !placed.get(i) && !operations.get(i).isUnknown()) {
        rest.add(operations.get(i));
      }
    }
    return new Outcome(verdict, explained, rest);
  }
}
