package org.millrace.client;

/** Which transfers go through the operating system's page cache. */
public enum PageCache {
  /** All. */
  THROUGH,
  /**
   * Reads do, and profit from the kernel's read-ahead; writes that are aligned go past it, so that
   * what is cached here is not cached twice and a flush finds little left to do.
   */
  WRITES_PAST,
  /** Neither reads nor writes, where they are aligned. */
  PAST;

  /** Whether reads go past it. */
  public boolean readsPast() {
    return this == PAST;
  }

  /** Whether writes go past it. */
  public boolean writesPast() {
    return this != THROUGH;
  }
}
