package org.millrace.coordinator;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeSet;
import org.millrace.protocol.CoordinatorRequest.Meet;
import org.millrace.protocol.Effect;

/**
 * Checks that all ranks of a meeting made the same call, and describes the differences. Stateless.
 */
final class Agreement {

  private static final int MAX_RANGES = 16;

  private Agreement() {}

  static boolean agree(Meet a, Meet b) {
    return a.argument() == b.argument()
        && a.call().equals(b.call())
        && a.detail().equals(b.detail())
        && a.effect().agrees(b.effect());
  }

  /** What of an effect the others must agree with, for people; nothing if there is none. */
  private static String shown(Effect effect) {
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

  /** Which ranks called what, grouped by call. */
  static String callsByRank(Meeting meeting) {
    List<Meet> all = meeting.parts().stream().map(MeetingPart::meet).toList();
    Map<String, TreeSet<Integer>> ranksByCall = new LinkedHashMap<>();
    for (MeetingPart part : meeting.parts()) {
      ranksByCall
          .computeIfAbsent(shown(part.meet(), all), _ -> new TreeSet<>())
          .add(part.member().rank);
    }
    StringJoiner calls = new StringJoiner("; ");
    ranksByCall.forEach((call, ranks) -> calls.add(ranks(ranks) + " called " + call));
    return calls.toString();
  }

  /** A call, and what tells it from the others: what all have said alike is left out. */
  private static String shown(Meet one, List<Meet> all) {
    boolean sameCall = all.stream().allMatch(other -> other.call().equals(one.call()));
    boolean sameDetail = all.stream().allMatch(other -> other.detail().equals(one.detail()));
    StringJoiner given = new StringJoiner(", ", "(", ")").setEmptyValue("");
    if (sameCall && all.stream().anyMatch(other -> other.argument() != one.argument())) {
      given.add(Long.toString(one.argument()));
    }
    if (!sameDetail && !one.detail().isEmpty()) {
      given.add(one.detail());
    }
    boolean sameEffect = all.stream().allMatch(other -> other.effect().agrees(one.effect()));
    return one.call() + given + (sameDetail && !sameEffect ? shown(one.effect()) : "");
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
      } else if (ranges == MAX_RANGES) {
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
