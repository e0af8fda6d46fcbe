package org.millrace.bench.measure;

/** Sizes as people write them. No state. */
public final class Shown {

  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB"};

  private Shown() {}

  /** In the largest unit of which it is a multiple. */
  public static String bytes(long bytes) {
    int unit = 0;
    long count = bytes;
    while (unit < UNITS.length - 1 && count >= 1024 && count % 1024 == 0) {
      count /= 1024;
      unit++;
    }
    return count + " " + UNITS[unit];
  }
}
