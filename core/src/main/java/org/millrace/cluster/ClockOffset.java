package org.millrace.cluster;

import java.time.Duration;

/** How far one clock is ahead of another, in words. Stateless. */
public final class ClockOffset {

  /** Clocks that are further apart are worth a word: requests and heartbeats take less. */
  public static final long WORTH_MILLIS = 60_000;

  private ClockOffset() {}

  /** For example "13 h ahead of", "25 min behind". */
  public static String words(long aheadMillis) {
    Duration off = Duration.ofMillis(Math.abs(aheadMillis));
    String much =
        off.toDays() >= 2
            ? off.toDays() + " days"
            : off.toHours() >= 1
                ? off.toHours() + " h"
                : off.toMinutes() >= 1 ? off.toMinutes() + " min" : off.toSeconds() + " s";
    return much + (aheadMillis >= 0 ? " ahead of" : " behind");
  }
}
