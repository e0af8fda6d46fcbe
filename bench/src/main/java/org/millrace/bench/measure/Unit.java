package org.millrace.bench.measure;

import java.util.Locale;

/** What a number counts, and how people read it. */
public enum Unit {
  /** Bytes in a second. */
  BYTES_PER_SECOND("B/s"),
  /** Operations in a second. */
  PER_SECOND("/s"),
  /** Bytes. */
  BYTES("B"),
  /** Bytes for each operation. */
  BYTES_PER_OPERATION("B/op"),
  /** Microseconds for each operation. */
  MICROSECONDS("us"),
  /** A part of a whole. */
  SHARE("of 1");

  private static final String[] PREFIXES = {"", "k", "M", "G", "T"};

  private final String symbol;

  Unit(String symbol) {
    this.symbol = symbol;
  }

  /** How it is written. */
  public String symbol() {
    return symbol;
  }

  /** A value in this unit with three digits and a decimal prefix. */
  public String format(double value) {
    int prefix = 0;
    double scaled = value;
    int most = this == MICROSECONDS || this == SHARE ? 0 : PREFIXES.length - 1;
    while (Math.abs(scaled) >= 999.5 && prefix < most) {
      scaled /= 1000;
      prefix++;
    }
    int decimals = scaled == Math.rint(scaled) && prefix == 0 ? 0 : digitsBehindPoint(scaled);
    return String.format(Locale.ROOT, "%." + decimals + "f %s%s", scaled, PREFIXES[prefix], symbol);
  }

  private static int digitsBehindPoint(double scaled) {
    double size = Math.abs(scaled);
    return size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  }
}
