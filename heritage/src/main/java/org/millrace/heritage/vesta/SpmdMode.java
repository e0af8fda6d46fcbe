package org.millrace.heritage.vesta;

import org.millrace.client.Mode;

/** The six I/O modes of the SPMD library for Vesta. */
public enum SpmdMode {
  /** Disjoint subfiles of one scheme, checked when they are opened; access is independent. */
  A(Mode.INDEPENDENT),
  /** Any subfiles, also the same ones, each process with its own offset; nothing is coordinated. */
  B(Mode.INDEPENDENT),
  /** One subfile with one offset for all; data goes in the order in which calls are made. */
  C(Mode.SHARED),
  /**
   * One subfile, one offset, and all do the same: a read happens once and all get it, of a write
   * only process 0's data counts. Each access waits for all.
   */
  D(Mode.GLOBAL),
  /** One subfile, one offset, in order of process ids, all sizes equal. Each access waits. */
  E(Mode.ORDERED),
  /** As E, but sizes may differ. */
  F(Mode.ORDERED);

  private final Mode mode;

  SpmdMode(Mode mode) {
    this.mode = mode;
  }

  Mode mode() {
    return mode;
  }

  boolean sharesOffset() {
    return mode.sharesPointer();
  }
}
