package org.millrace.cache;

/**
 * The record of writes that the holder of a {@linkplain CachedStrand#keep kept} pin makes in memory
 * that it shares with this process: a write is done as soon as it is recorded there. Called with
 * the cache's lock held.
 */
public interface WriteNotes {

  /**
   * What was noted.
   *
   * @param blocks which of the blocks were written since the last look, and perhaps neighbours of
   *     theirs: bit i is the i-th
   * @param end where the strand ends at least, from the begin of the first block on
   * @param busy whether the holder is in the middle of a write, which is not noted yet
   */
  record News(long blocks, long end, boolean busy) {}

  /** Whether something was noted since the last look. */
  boolean hasNews();

  /** What was noted since the last look. */
  News take();

  /** As {@link #take}; what is noted from now on does not count, and its holder sees that. */
  News close();
}
