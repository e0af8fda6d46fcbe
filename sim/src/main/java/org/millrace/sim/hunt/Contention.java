package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.millrace.client.FileNames;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.sim.history.Call;
import org.millrace.sim.history.Linearizability;
import org.millrace.sim.history.Operation;

/**
 * All ranks make, rename and remove the same two names at the same time. What they are answered, in
 * all episodes, across crashes of the coordinator, must be what some order of the calls explains.
 *
 * <p>Belongs to the rank's thread; the history to the world, one of whose threads runs at a time.
 */
final class Contention {

  private static final int MAX_CALLS = 4;
  private static final long MAX_STATES = 200_000;
  private static final long DONE = 1;
  private static final long NONE = -1;
  private static final long TAKEN = -2;

  private final Member me;
  private final RandomGenerator random;

  Contention(Member me, RandomGenerator random) {
    this.me = me;
    this.random = random;
  }

  /**
   * Contends for a while.
   *
   * @param unique what no other chapter has
   */
  void run(String unique) throws IOException {
    for (int left = 1 + random.nextInt(MAX_CALLS); left > 0; left--) {
      boolean first = random.nextBoolean();
      String one = name(unique, first);
      String other = name(unique, !first);
      call(
          me,
          switch (random.nextInt(4)) {
            case 0 -> new Call.Create(one, DONE);
            case 1 -> new Call.Remove(one);
            case 2 -> new Call.Move(one, other);
            default -> new Call.Stat(one);
          });
    }
  }

  private static String name(String unique, boolean first) {
    return "contended-" + unique + (first ? "-a" : "-b");
  }

  /**
   * Makes a call and notes it. One that fails for another reason may have happened, and so may one
   * whose rank is killed before it is answered.
   */
  private static void call(Member me, Call call) throws IOException {
    List<Operation> history = me.world().history();
    long called = me.world().env().nanoTime();
    int place = history.size();
    history.add(new Operation(me.number(), called, Operation.NEVER, call, 0));
    long answer = me.call("contend", call.toString(), () -> answer(me.rank().names(), call));
    long now = me.world().env().nanoTime();
    history.set(place, new Operation(me.number(), called, now, call, answer));
  }

  private static long answer(FileNames names, Call call) throws IOException {
    try {
      switch (call) {
        case Call.Create create -> names.makeDirectory(create.name());
        case Call.Remove remove -> names.remove(remove.name());
        case Call.Move move -> names.rename(move.from(), move.to());
        case Call.Stat stat -> names.stat(stat.name());
        default -> throw new IllegalArgumentException(call.toString());
      }
      return DONE;
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.NO_SUCH_NAME) {
        return NONE;
      }
      if (e.code() == ErrorCode.NAME_EXISTS) {
        return call instanceof Call.Move ? TAKEN : NONE;
      }
      throw e;
    }
  }

  /** Looks at all names that were contended for, when all is quiet. */
  static void look(Member me) throws IOException {
    Set<String> names = new TreeSet<>();
    for (Operation one : me.world().history()) {
      one.call().keys().forEach(key -> names.add(key.substring("name ".length())));
    }
    for (String name : names) {
      call(me, new Call.Stat(name));
    }
  }

  /** Whether everything that was answered can be explained. */
  static void check(World world) {
    Linearizability.Outcome outcome = Linearizability.check(world.history(), MAX_STATES);
    if (outcome.verdict() == Linearizability.Verdict.NOT_LINEARIZABLE) {
      throw new Violation("no order of the calls explains their answers: " + outcome.toText());
    }
  }
}
