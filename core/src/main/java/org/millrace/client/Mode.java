package org.millrace.client;

/**
 * How the ranks that opened a file together share it: where a plain {@code read} or {@code write}
 * goes, and which calls wait for all ranks. The rules are those of Intel's PFS, whose names stand
 * in parentheses. {@code docs/io-modes.md} has the same table.
 */
public enum Mode {
  /** A pointer for each rank; every call is atomic against every other. (M_UNIX) */
  ATOMIC(PointerKind.PRIVATE, true, false, false),
  /** One pointer for all, first come, first served. (M_LOG) */
  SHARED(PointerKind.SHARED, false, false, true),
  /**
   * One pointer for all; each call of the group is in order of rank, lengths may differ. (M_SYNC)
   */
  ORDERED(PointerKind.ORDERED, false, true, true),
  /** A pointer for each rank; records of one length lie in order of rank. (M_RECORD) */
  RECORD(PointerKind.RECORD, false, true, true),
  /** One pointer for all; all ranks make the same call, which happens once. (M_GLOBAL) */
  GLOBAL(PointerKind.GLOBAL, false, true, true),
  /**
   * A pointer for each rank; calls that do not overlap never disturb each other. The default.
   * (M_ASYNC)
   */
  INDEPENDENT(PointerKind.PRIVATE, false, false, false);

  private final PointerKind pointing;
  private final boolean atomic;
  private final boolean seekSynchronizes;
  private final boolean closeSynchronizes;

  Mode(PointerKind pointing, boolean atomic, boolean seekSynchronizes, boolean closeSynchronizes) {
    this.pointing = pointing;
    this.atomic = atomic;
    this.seekSynchronizes = seekSynchronizes;
    this.closeSynchronizes = closeSynchronizes;
  }

  PointerKind pointing() {
    return pointing;
  }

  /** Whether each call is all or nothing against every other. */
  public boolean isAtomic() {
    return atomic;
  }

  /** Whether a plain read or write waits for all ranks. */
  public boolean transferSynchronizes() {
    return pointing == PointerKind.ORDERED || pointing == PointerKind.GLOBAL;
  }

  /** Whether {@code seek} waits for all ranks, which must ask for the same position. */
  public boolean seekSynchronizes() {
    return seekSynchronizes;
  }

  /** Whether {@code close} waits for all ranks. */
  public boolean closeSynchronizes() {
    return closeSynchronizes;
  }

  /** Whether all ranks share one pointer. */
  public boolean sharesPointer() {
    return pointing == PointerKind.SHARED || transferSynchronizes();
  }
}
