package org.millrace.cache;

import org.millrace.disk.BlockStore;

/**
 * How large a cache is and how it behaves. Immutable.
 *
 * @param bytes memory for blocks, rounded down to whole blocks; at least one block
 * @param readAheadBlocks the most blocks that are read ahead of a sequential reader; 0 turns
 *     read-ahead off
 * @param diskThreads threads that do the file I/O of all strands; each owns one staging buffer
 *     beside {@code bytes}
 * @param runBlocks the most blocks that one transfer moves, and the size of a staging buffer
 * @param writeBehindPercent write-back starts in the background when more than this share of the
 *     blocks is dirty
 * @param deadlineNanos how long one operation may take before it fails
 */
public record CacheOptions(
    long bytes,
    int readAheadBlocks,
    int diskThreads,
    int runBlocks,
    int writeBehindPercent,
    long deadlineNanos) {

  private static final int READ_AHEAD_BLOCKS = 64;
  private static final int DISK_THREADS = 2;
  private static final int RUN_BLOCKS = 16;
  private static final int WRITE_BEHIND_PERCENT = 25;
  private static final long DEADLINE_NANOS = 60_000_000_000L;

  /** Checks the bounds. */
  public CacheOptions {
    checkBytes(bytes);
    check("readAheadBlocks", readAheadBlocks, 0, 1 << 16);
    check("diskThreads", diskThreads, 1, 1 << 10);
    check("runBlocks", runBlocks, 1, 1 << 10);
    check("writeBehindPercent", writeBehindPercent, 0, 100);
    check("deadlineNanos", deadlineNanos, 1, Long.MAX_VALUE);
  }

  /** The defaults, with the given memory for blocks. */
  public static CacheOptions of(long bytes) {
    return new CacheOptions(
        bytes, READ_AHEAD_BLOCKS, DISK_THREADS, RUN_BLOCKS, WRITE_BEHIND_PERCENT, DEADLINE_NANOS);
  }

  /** These options with another read-ahead. */
  public CacheOptions withReadAheadBlocks(int blocks) {
    return new CacheOptions(
        bytes, blocks, diskThreads, runBlocks, writeBehindPercent, deadlineNanos);
  }

  /** These options with another number of disk threads. */
  public CacheOptions withDiskThreads(int threads) {
    return new CacheOptions(
        bytes, readAheadBlocks, threads, runBlocks, writeBehindPercent, deadlineNanos);
  }

  /** These options with another bound of transfers. */
  public CacheOptions withRunBlocks(int blocks) {
    return new CacheOptions(
        bytes, readAheadBlocks, diskThreads, blocks, writeBehindPercent, deadlineNanos);
  }

  /** These options with another share of dirty blocks; 100 turns write-behind off. */
  public CacheOptions withWriteBehindPercent(int percent) {
    return new CacheOptions(bytes, readAheadBlocks, diskThreads, runBlocks, percent, deadlineNanos);
  }

  /** These options with another deadline. */
  public CacheOptions withDeadlineNanos(long nanos) {
    return new CacheOptions(
        bytes, readAheadBlocks, diskThreads, runBlocks, writeBehindPercent, nanos);
  }

  static void checkBytes(long bytes) {
    check("bytes", bytes, BlockStore.BLOCK_BYTES, (long) BlockStore.BLOCK_BYTES << 28);
  }

  private static void check(String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          what + " is " + value + ", must be in " + least + ".." + most);
    }
  }
}
