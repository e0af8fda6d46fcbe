package org.millrace.access;

/**
 * Arithmetic modulo a period: when does a sequence with a constant step first touch a window that
 * repeats with the period? The answer takes O(log period), by Euclid's algorithm, so that runs on
 * other strands need not be visited. Holds no state.
 */
public final class Residues {

  /** The answer "never", and also "not within what a {@code long} can address". */
  public static final long NEVER = Long.MAX_VALUE;

  private Residues() {}

  /**
   * The smallest k &gt;= 0 for which the {@code bytes} bytes at {@code start + k * step} touch an
   * offset x with x mod period &lt; window.
   */
  public static long firstTouch(long start, long step, long bytes, long period, long window) {
    if (bytes > period - window) {
      return 0;
    }
    long wide = window + bytes - 1;
    // Where the last of the bytes is on the circle; in this form nothing overflows.
    long first = Math.floorMod(start, period);
    long room = period - (bytes - 1);
    long last = first >= room ? first - room : first + (bytes - 1);
    if (last < wide) {
      return 0;
    }
    return firstBetween(
        Math.floorMod(step, period), period, period - last, period - last + wide - 1);
  }

  /** The smallest k with low &lt;= k * step mod period &lt;= high, where 0 &lt; low. */
  private static long firstBetween(long step, long period, long low, long high) {
    if (step == 0) {
      return NEVER;
    }
    if (step > period - step) {
      return firstBetween(period - step, period, period - high, period - low);
    }
    if (Math.floorMod(-low, step) <= high - low) {
      return Math.ceilDiv(low, step);
    }
    // No multiple of step lies in the interval. After how many whole turns does one? Going round
    // once moves the multiples by -period mod step: the same question on a smaller circle.
    long turns = firstBetween(Math.floorMod(-period, step), step, low % step, high % step);
    if (turns == NEVER
        || Math.multiplyHigh(turns, period) != 0
        || turns * period < 0
        || turns * period + low < 0) {
      return NEVER;
    }
    return Math.ceilDiv(turns * period + low, step);
  }
}
