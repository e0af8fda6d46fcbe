package org.millrace.env;

import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** The random numbers of a seeded environment. Holds no state. */
final class SeededRandom {

  private SeededRandom() {}

  static RandomGenerator generator(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  /** A bijection of the longs that spreads every bit: the finalizer of SplitMix64. */
  static long mix(long z) {
    long a = z + 0x9E3779B97F4A7C15L;
    a = (a ^ (a >>> 30)) * 0xBF58476D1CE4E5B9L;
    a = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
    return a ^ (a >>> 31);
  }
}
