package org.millrace.sim.hunt;

import java.util.Map;
import java.util.TreeMap;

/**
 * Counts how often each event occurred in a world: bugs in what never occurs cannot be found. For
 * threads of the world's environment.
 */
final class Tally {

  private final TreeMap<String, Long> counts = new TreeMap<>();

  /** It happened once more. */
  void add(Occurrence kind, String what) {
    add(kind, what, 1);
  }

  void add(Occurrence kind, String what, long times) {
    if (times > 0) {
      counts.merge(kind.word() + " " + what, times, Long::sum);
    }
  }

  Map<String, Long> counts() {
    return counts;
  }
}
