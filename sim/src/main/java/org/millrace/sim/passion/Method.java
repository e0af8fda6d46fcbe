package org.millrace.sim.passion;

import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/** How the processors read. */
public enum Method {
  /** Each processor reads each of its runs by itself. */
  DIRECT("direct", Strategy.DIRECT),
  /** The conforming distribution first, then an exchange. */
  TWO_PHASE("two-phase", Strategy.TWO_PHASE),
  /** The covering section of each file domain, a column at a time, as the paper has it. */
  EXTENDED("extended two-phase", Strategy.EXTENDED_TWO_PHASE),
  /** The same with as many columns at a time as a buffer of a megabyte holds. */
  BUFFERED("extended, buffered", Strategy.EXTENDED_TWO_PHASE);

  /** Half of what Millrace takes unless told otherwise: a processor has little memory. */
  private static final long BUFFER_BYTES = 1 << 20;

  private final String words;
  private final Strategy strategy;

  Method(String words, Strategy strategy) {
    this.words = words;
    this.strategy = strategy;
  }

  /** Its name for people. */
  public String words() {
    return words;
  }

  /**
   * What it tells Millrace.
   *
   * @param columnBytes of a column of the smallest section that covers all that is wanted
   */
  Hints hints(long columnBytes) {
    Hints hints = Hints.DEFAULT.withStrategy(strategy);
    return switch (this) {
      case DIRECT -> hints;
      case EXTENDED -> hints.withBufferBytes(columnBytes).withDepth(1);
      case TWO_PHASE, BUFFERED -> hints.withBufferBytes(BUFFER_BYTES);
    };
  }
}
