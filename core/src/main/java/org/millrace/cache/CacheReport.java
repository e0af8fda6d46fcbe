package org.millrace.cache;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Contents and statistics of a cache. Immutable.
 *
 * @param limitBytes memory that blocks may take; while the cache shrinks, still the old limit
 * @param usedBytes memory taken for blocks, whether they hold something or not
 * @param stagingBytes memory of the staging buffers taken so far
 * @param blocks blocks held
 * @param dirtyBlocks blocks held that differ from the store
 * @param dirtyBytes bytes in the dirty ranges of those blocks
 * @param hits accesses to a block that found it
 * @param misses accesses to a block that did not
 * @param evictions blocks that were evicted
 * @param reads transfers from stores
 * @param writes transfers to stores
 * @param bytesRead bytes moved by {@code reads}
 * @param bytesWritten bytes moved by {@code writes}
 * @param readAheadIssued blocks that were prefetched
 * @param readAheadUsed how many of those were used
 * @param failedReads transfers from stores that failed
 * @param failedWrites transfers to stores that failed
 * @param pinnedBytes memory of blocks that other processes have pinned, or that is in quarantine
 * @param quarantinedBlocks blocks' worth of memory that a process which stalls may still touch
 */
public record CacheReport(
    long limitBytes,
    long usedBytes,
    long stagingBytes,
    long blocks,
    long dirtyBlocks,
    long dirtyBytes,
    long hits,
    long misses,
    long evictions,
    long reads,
    long writes,
    long bytesRead,
    long bytesWritten,
    long readAheadIssued,
    long readAheadUsed,
    long failedReads,
    long failedWrites,
    long pinnedBytes,
    long quarantinedBlocks) {

  /** All numbers by name, in the order above, for reports that cross a message. */
  public Map<String, Long> counters() {
    Map<String, Long> counters = new LinkedHashMap<>();
    counters.put("limitBytes", limitBytes);
    counters.put("usedBytes", usedBytes);
    counters.put("stagingBytes", stagingBytes);
    counters.put("blocks", blocks);
    counters.put("dirtyBlocks", dirtyBlocks);
    counters.put("dirtyBytes", dirtyBytes);
    counters.put("hits", hits);
    counters.put("misses", misses);
    counters.put("evictions", evictions);
    counters.put("reads", reads);
    counters.put("writes", writes);
    counters.put("bytesRead", bytesRead);
    counters.put("bytesWritten", bytesWritten);
    counters.put("readAheadIssued", readAheadIssued);
    counters.put("readAheadUsed", readAheadUsed);
    counters.put("failedReads", failedReads);
    counters.put("failedWrites", failedWrites);
    counters.put("pinnedBytes", pinnedBytes);
    counters.put("quarantinedBlocks", quarantinedBlocks);
    return counters;
  }
}
