package org.millrace.heritage.fem;

import java.util.List;

/**
 * How long the phases of the program took, in seconds; each begins and ends with all ranks.
 *
 * @param wopen opening for writing
 * @param write computing and writing all elements
 * @param wclose closing what was written
 * @param ropen opening for reading
 * @param preload preloading; 0 if it was not asked for
 * @param read reading and checking all elements
 * @param rclose closing what was read
 */
public record Phases(
    double wopen,
    double write,
    double wclose,
    double ropen,
    double preload,
    double read,
    double rclose) {

  /** The names, in order. */
  public static final List<String> NAMES =
      List.of("wopen", "write", "wclose", "ropen", "preload", "read", "rclose");

  /** The seconds, in order of {@link #NAMES}. */
  public List<Double> seconds() {
    return List.of(wopen, write, wclose, ropen, preload, read, rclose);
  }

  /** All of it. */
  public double total() {
    return wopen + write + wclose + ropen + preload + read + rclose;
  }
}
