package org.millrace.testing;

/** The seeds of random tests: one given by {@code -Dmillrace.seed=}, or a fixed list. */
public final class Seeds {

  private Seeds() {}

  /** The seed set by the system property, alone, or else {@code howMany} fixed ones. */
  public static long[] of(int howMany) {
    String set = System.getProperty("millrace.seed");
    if (set != null) {
      return new long[] {Long.parseLong(set)};
    }
    long[] seeds = new long[howMany];
    for (int i = 0; i < howMany; i++) {
      seeds[i] = 1_000_003L * (i + 1);
    }
    return seeds;
  }

  /** What to say when a test fails under {@code seed}. */
  public static String replay(long seed) {
    return "replay with -Dmillrace.seed=" + seed;
  }
}
