package org.millrace.testing;

/**
 * The one source of seeds for random tests. A run uses the same fixed seeds every time unless the
 * system property {@code millrace.seed} names one; then that is the only seed there is. In a
 * campaign, {@code -Dmillrace.campaign=N}, there are N times as many. Stateless, so any thread may
 * ask.
 */
public final class Seeds {

  private static final String PROPERTY = "millrace.seed";

  /** How many times more a campaign tries than a build does; 1 in a build. */
  public static final int CAMPAIGN = Integer.getInteger("millrace.campaign", 1);

  private Seeds() {}

  /**
   * Returns the seed to replay if one was given, otherwise {@code howMany} different fixed seeds,
   * and in a campaign so many times more.
   *
   * @throws IllegalArgumentException if {@code howMany} is not positive, or the property is no long
   */
  public static long[] of(int howMany) {
    if (howMany < 1) {
      throw new IllegalArgumentException("howMany must be at least 1, was " + howMany);
    }
    String given = System.getProperty(PROPERTY);
    if (given != null && !given.isBlank()) {
      return new long[] {parse(given.strip())};
    }
    long[] seeds = new long[Math.multiplyExact(howMany, CAMPAIGN)];
    for (int i = 0; i < seeds.length; i++) {
      seeds[i] = mix(i + 1);
    }
    if (CAMPAIGN > 1) { // so that the output of one says which seeds it tried
      System.out.printf(
          "campaign: %d seeds, %d to %d%n", seeds.length, seeds[0], seeds[seeds.length - 1]);
    }
    return seeds;
  }

  /**
   * Returns what to append to a failure message, so that its reader can run the same case again.
   */
  public static String replay(long seed) {
    return "replay with -D" + PROPERTY + "=" + seed;
  }

  private static long parse(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("-D" + PROPERTY + " must be a long, was " + text, e);
    }
  }

  /** SplitMix64's finalizer: a bijection, so that neighbouring inputs give unrelated seeds. */
  private static long mix(long index) {
    long z = index * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
