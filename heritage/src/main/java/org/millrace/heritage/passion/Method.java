package org.millrace.heritage.passion;

import org.millrace.plan.Strategy;

/** How the processors' requests for parts of a global array file become transfers. */
public enum Method {
  /** Each processor moves its own section, oblivious of the others. */
  DIRECT,
  /**
   * Processors read equal contiguous parts, no matter who wants them, and redistribute them.
   * PASSION had it for whole arrays; here it serves sections, too.
   */
  TWO_PHASE,
  /** Processors read what anybody wants of their file domains, sieved, and hand it out. */
  EXTENDED_TWO_PHASE;

  /**
   * The core's strategy for it.
   *
   * @param sieving whether the Direct Method sieves; the extended one always does, the other has
   *     nothing to sieve
   */
  Strategy strategy(boolean sieving) {
    return switch (this) {
      case DIRECT -> sieving ? Strategy.SIEVED : Strategy.DIRECT;
      case TWO_PHASE -> Strategy.TWO_PHASE;
      case EXTENDED_TWO_PHASE -> Strategy.EXTENDED_TWO_PHASE;
    };
  }
}
