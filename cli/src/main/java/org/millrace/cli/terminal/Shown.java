package org.millrace.cli.terminal;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Numbers and names as people read them. Stateless. */
public final class Shown {

  private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm");
  private static final String UNITS = "KMGTPE";

  private Shown() {}

  /** A number of bytes in binary units: 512, 1.5K, 20M. */
  public static String bytes(double bytes) {
    if (bytes < 1024) {
      return Long.toString(Math.round(bytes));
    }
    double value = bytes;
    int unit = -1;
    while (value >= 1023.5 && unit < UNITS.length() - 1) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, value < 9.95 ? "%.1f" : "%.0f", value) + UNITS.charAt(unit);
  }

  /** As {@link #bytes(double)}. */
  public static String bytes(long bytes) {
    return bytes((double) bytes);
  }

  /** As {@link #nanos(double)}. */
  public static String nanos(long nanos) {
    return nanos((double) nanos);
  }

  /** As {@link #percent(double, double)}. */
  public static String percent(long part, long whole) {
    return percent((double) part, (double) whole);
  }

  /** A span of time: 740 ns, 12 us, 3.4 ms, 15 s, 4 min, 3 h, 2 d. */
  public static String nanos(double nanos) {
    if (nanos < 1e3) {
      return Math.round(nanos) + " ns";
    }
    if (nanos < 1e9) {
      return nanos < 1e6 ? number(nanos / 1e3) + " us" : number(nanos / 1e6) + " ms";
    }
    double seconds = nanos / 1e9;
    if (seconds < 120) {
      return number(seconds) + " s";
    }
    if (seconds < 2 * 3600) {
      return Math.round(seconds / 60) + " min";
    }
    return seconds < 48 * 3600
        ? Math.round(seconds / 3600) + " h"
        : Math.round(seconds / 86400) + " d";
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 9.95 ? "%.1f" : "%.0f", value);
  }

  /** A part of a whole in percent; a dash if there is no whole. */
  public static String percent(double part, double whole) {
    return whole > 0 ? Math.round(100 * part / whole) + " %" : "-";
  }

  /** When something was made. */
  public static String date(long millis) {
    return DATE.format(Instant.ofEpochMilli(millis).atZone(ZoneId.systemDefault()));
  }

  /** Mode bits as ls shows them. */
  public static String mode(boolean directory, int permissions) {
    StringBuilder mode = new StringBuilder(directory ? "d" : "-");
    for (int bit = 8; bit >= 0; bit--) {
      mode.append((permissions >> bit & 1) == 1 ? "rwx".charAt((8 - bit) % 3) : '-');
    }
    return mode.toString();
  }

  /** A name that somebody chose, without what would steer the terminal. */
  public static String text(String name) {
    return name.replaceAll("\\p{Cntrl}", "?");
  }
}
