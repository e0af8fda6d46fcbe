package org.millrace.heritage.kotz;

import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/** The two file systems that Kotz compared, as far as a program can tell: never by the bytes. */
public enum Transfers {
  /** Every process makes its own requests; each I/O node has a cache of blocks. */
  TRADITIONAL_CACHING(Strategy.DIRECT),
  /** The I/O nodes know the whole collective request and go through their blocks in disk order. */
  DISK_DIRECTED(Strategy.DISK_DIRECTED);

  private final Strategy strategy;

  Transfers(Strategy strategy) {
    this.strategy = strategy;
  }

  Hints hints() {
    return Hints.DEFAULT.withStrategy(strategy);
  }
}
