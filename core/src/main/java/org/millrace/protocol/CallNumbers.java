package org.millrace.protocol;

import java.util.Comparator;

/**
 * The numbers of the meetings on a channel. A call has an even number for its begin and the next
 * odd one for its end; meetings in between have that of the end, marked. Stateless.
 */
public final class CallNumbers {

  private static final long MIDDLE = 1L << 61;
  private static final long WRITTEN = 1L << 60;

  /** By call, however its numbers are marked. */
  public static final Comparator<Long> ORDER =
      Comparator.<Long>comparingLong(CallNumbers::begin).thenComparing(Comparator.naturalOrder());

  private CallNumbers() {}

  /** The number of a call's begin, from any of its numbers. */
  public static long begin(long number) {
    return number & ~MIDDLE & ~WRITTEN & ~1;
  }

  /** The number of the meeting in the middle of a call, from that of its begin. */
  public static long middle(long begin) {
    return (begin + 1) | MIDDLE;
  }

  /** The number of the meeting at which all have written and nothing is flushed yet. */
  public static long written(long begin) {
    return (begin + 1) | WRITTEN;
  }
}
