package org.millrace.sim.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Makes histories that are linearizable, because every call has an instant at which it took effect;
 * some calls are never answered, and took effect late, or not at all. Not safe for use by several
 * threads.
 */
final class MadeHistory {

  private static final int LONGEST = 40;

  /** A call with the instant at which it takes effect; negative if it does not. */
  private record Planned(int client, long called, long effect, long answered, Call call) {}

  private final RandomGenerator random;
  private final List<Planned> planned = new ArrayList<>();
  private long ids;

  MadeHistory(RandomGenerator random) {
    this.random = random;
  }

  /**
   * Clients that contend for few names, sizes and pointers.
   *
   * @param unknownOneIn of how many calls one is not answered
   */
  static List<Operation> of(
      RandomGenerator random, int clients, int calls, int names, int unknownOneIn) {
    MadeHistory made = new MadeHistory(random);
    for (int client = 0; client < clients; client++) {
      long now = random.nextInt(LONGEST);
      for (int i = 0; i < calls; i++) {
        now = made.plan(client, now, made.call(names), random.nextInt(unknownOneIn) == 0);
      }
    }
    return made.history();
  }

  private long plan(int client, long now, Call call, boolean unknown) {
    long effect = now + 1 + random.nextInt(LONGEST);
    long answered = effect + 1 + random.nextInt(LONGEST);
    if (unknown) {
      // it may take effect long after its client has given it up
      long late = random.nextInt(3) == 0 ? -1 : effect + random.nextInt(10 * LONGEST);
      planned.add(new Planned(client, now, late, Operation.NEVER, call));
    } else {
      planned.add(new Planned(client, now, effect, answered, call));
    }
    return answered + 1 + random.nextInt(LONGEST);
  }

  private Call call(int names) {
    String name = "n" + random.nextInt(names);
    String other = "n" + random.nextInt(names);
    long key = random.nextInt(2);
    return switch (random.nextInt(12)) {
      case 0, 1, 2 -> new Call.Create(name, ++ids);
      case 3 -> new Call.Remove(name);
      case 4 -> name.equals(other) ? new Call.Stat(name) : new Call.Move(name, other);
      case 5 -> new Call.Rename(name, other);
      case 6 -> new Call.Resize(key, 1 + random.nextInt(1000));
      case 7 -> new Call.Size(key);
      case 8 -> new Call.Take(key, 8);
      case 9 -> new Call.At(key);
      default -> new Call.Stat(name);
    };
  }

  private List<Operation> history() {
    List<Operation> all = new ArrayList<>();
    NamesState state = NamesState.EMPTY;
    planned.sort(Comparator.comparingLong(Planned::effect));
    for (Planned one : planned) {
      long answer = state.answer(one.call);
      if (one.effect >= 0) {
        state = state.after(new Operation(0, 0, Operation.NEVER, one.call, 0)).orElseThrow();
      }
      boolean unknown = one.answered == Operation.NEVER;
      all.add(new Operation(one.client, one.called, one.answered, one.call, unknown ? 0 : answer));
    }
    return all;
  }
}
