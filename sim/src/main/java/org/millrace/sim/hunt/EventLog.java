package org.millrace.sim.hunt;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.millrace.env.SeededEnv;

/**
 * The events of a world in virtual time, for people. It keeps the last events, and a hash of all.
 *
 * <p>For threads of the world's environment.
 */
final class EventLog {

  private static final int KEPT = 2_000;

  private final SeededEnv env;
  private final long began;
  private final ArrayDeque<String> last = new ArrayDeque<>();
  private long hash;
  private long events;

  EventLog(SeededEnv env) {
    this.env = env;
    this.began = env.nanoTime();
  }

  void tell(String who, String what) {
    long micros = (env.nanoTime() - began) / 1_000;
    String line =
        String.format(
            Locale.ROOT, "%7d.%03d ms  %-12s %s", micros / 1_000, micros % 1_000, who, what);
    hash = hash * 31 + line.hashCode();
    events++;
    last.add(line);
    if (last.size() > KEPT) {
      last.remove();
    }
  }

  /** The last events, oldest first. */
  List<String> last() {
    return new ArrayList<>(last);
  }

  long events() {
    return events;
  }

  /** Equal for equal stories. */
  long hash() {
    return hash;
  }
}
