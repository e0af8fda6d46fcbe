package org.millrace.cache;

/**
 * A locked range of a strand, for one list of gathers or scatters. Closing unlocks it. For one
 * thread.
 */
public final class HeldRange implements AutoCloseable {

  private final CachedStrand strand;
  private final RangeLock.Range range;

  HeldRange(CachedStrand strand, RangeLock.Range range) {
    this.strand = strand;
    this.range = range;
  }

  @Override
  public void close() {
    strand.letGo(range);
  }
}
