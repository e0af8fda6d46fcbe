package org.millrace.bench.measure;

/**
 * Random places, cheap to draw and the same for the same seed, so that a limit and what is measured
 * against it go to the same ones. Owned by one thread.
 */
public final class Places {

  private final long first;
  private final long count;
  private long state;

  /** Places from {@code first} on, {@code count} of them. */
  public Places(long seed, long first, long count) {
    if (count < 1 || count > 1L << 31) {
      throw new IllegalArgumentException(count + " places, must be in 1..2^31");
    }
    this.first = first;
    this.count = count;
    this.state = Content.mix(seed);
  }

  /** The next place. */
  public long next() {
    state += 0x9E3779B97F4A7C15L;
    return first + ((Content.mix(state) >>> 32) * count >>> 32);
  }
}
