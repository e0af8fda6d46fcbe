package org.millrace.coordinator;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeSet;
import org.millrace.protocol.CoordinatorRequest.Meet;
import org.millrace.protocol.Effect;

/**
 * What the ranks that meet must have said alike, and how people are told that they did not.
 * Stateless.
 */
final class Agreement {

  private static final int MOST_RANGES = 16;

  private Agreement() {}

  static boolean agree(Meet a, Meet b) {
    return a.argument() == b.argument()
        && a.call().equals(b.call())
        && a.detail().equals(b.detail())
        && a.effect().agrees(b.effect());
  }

  /** What of an effect the others must agree with, for people; nothing if there is none. */
  static String shown(Effect effect) {
    return switch (effect) {
      case Effect.None _ -> "";
      case Effect.Take take -> " taking pointer " + take.pointer() + (take.once() ? " once" : "");
      case Effect.Set set -> " setting pointer " + set.pointer() + " to " + set.value();
      case Effect.Open open -> " opening " + Paths.show(open.path()) + " with " + open.flags();
      case Effect.Close close -> " closing " + close.open();
      case Effect.Split _ -> " splitting";
      case Effect.Exchange _ -> "";
    };
  }

  /** Who called what, ranks with the same call together. */
  static String whoCalledWhat(Meeting meeting) {
    Map<String, TreeSet<Integer>> ranksByCall = new LinkedHashMap<>();
    for (Part part : meeting.parts()) {
      ranksByCall.computeIfAbsent(part.shown(), _ -> new TreeSet<>()).add(part.member().rank);
    }
    StringJoiner all = new StringJoiner("; ");
    ranksByCall.forEach((call, ranks) -> all.add(ranks(ranks) + " called " + call));
    return all.toString();
  }

  /** Ranks for people: "rank 3", "ranks 0-2, 7"; if they are many, the first of them. */
  static String ranks(Iterable<Integer> ascending) {
    StringJoiner all = new StringJoiner(", ");
    int first = -1;
    int last = -1;
    int count = 0;
    int ranges = 0;
    int more = 0;
    for (int rank : ascending) {
      count++;
      if (first >= 0 && rank == last + 1) {
        last = rank;
      } else if (ranges == MOST_RANGES) {
        more++;
      } else {
        addRange(all, first, last);
        ranges++;
        first = rank;
        last = rank;
      }
    }
    addRange(all, first, last);
    return (count == 1 ? "rank " : "ranks ") + all + (more == 0 ? "" : " and " + more + " more");
  }

  /** A time span for people. */
  static String seconds(long nanos) {
    double seconds = nanos / 1e9;
    return (seconds == Math.rint(seconds) ? String.valueOf((long) seconds) : "" + seconds) + " s";
  }

  private static void addRange(StringJoiner all, int first, int last) {
    if (first >= 0) {
      all.add(first == last ? String.valueOf(first) : first + "-" + last);
    }
  }
}
