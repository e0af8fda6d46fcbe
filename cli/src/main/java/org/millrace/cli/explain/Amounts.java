package org.millrace.cli.explain;

import java.util.Locale;

/** Numbers as people read them. Holds no state. */
final class Amounts {

  private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private Amounts() {}

  /** Three digits at least: 1.25, 12.5, 125, 1250. */
  static String number(double value) {
    String form = value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, form, value);
  }

  /** Bytes in the largest unit of which there is one; whole ones without a fraction. */
  static String bytes(long bytes) {
    int unit = 0;
    while (unit < SIZES.length - 1 && bytes >> (10 * (unit + 1)) > 0) {
      unit++;
    }
    long one = 1L << (10 * unit);
    String amount = bytes % one == 0 ? Long.toString(bytes / one) : number((double) bytes / one);
    return amount + " " + SIZES[unit];
  }

  /** A time in the largest unit of which there is one. */
  static String time(double nanos) {
    return nanos < 1e3
        ? number(nanos) + " ns"
        : nanos < 1e6
            ? number(nanos / 1e3) + " us"
            : nanos < 1e9 ? number(nanos / 1e6) + " ms" : number(nanos / 1e9) + " s";
  }
}
