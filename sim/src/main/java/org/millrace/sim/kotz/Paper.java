package org.millrace.sim.kotz;

import java.util.Map;
import java.util.Optional;

/** What Kotz and Cai printed in its tables 2 and 3. */
final class Paper {

  /**
   * One row of both tables for one file system.
   *
   * @param free percent of the CPU left
   * @param megabytes a second
   * @param barriers percent left with barriers
   */
  record Numbers(double free, double megabytes, double barriers) {}

  private static final Map<String, Numbers> TRADITIONAL =
      Map.of(
          "easy read", new Numbers(95, 32.2, 92),
          "easy write", new Numbers(90, 32.4, 87),
          "hard read", new Numbers(60, 2.2, 11),
          "hard write", new Numbers(87, 0.7, 7.1));

  private static final Map<String, Numbers> DIRECTED =
      Map.of(
          "easy read", new Numbers(95, 33.5, 93),
          "easy write", new Numbers(95, 32.2, 93),
          "hard read", new Numbers(3.4, 16.2, 2.4),
          "hard write", new Numbers(5.1, 14.2, 3.4));

  private Paper() {}

  /** Whether a run is on the paper's machine and with its file. */
  static boolean hasMade(Outcome run) {
    return run.hardware().equals(Hardware.TABLE_1.name())
        && run.bytes() == AccessPattern.FILE_BYTES;
  }

  /** The paper's numbers for a run, if it printed them. */
  static Optional<Numbers> of(Outcome run) {
    if (!hasMade(run)) {
      return Optional.empty();
    }
    var numbers = run.system() == FileSystem.TRADITIONAL ? TRADITIONAL : DIRECTED;
    return Optional.ofNullable(numbers.get(run.pattern().role()));
  }
}
