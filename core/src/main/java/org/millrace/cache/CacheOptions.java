package org.millrace.cache;

import org.millrace.disk.BlockSize;

/**
 * Size and behaviour of a cache. Immutable.
 *
 * @param bytes memory for blocks, rounded down to a multiple of 64 KiB; at least that. A strand
 *     whose blocks are larger than all of it is refused
 * @param readAheadBytes the most bytes that are read ahead of a sequential reader; read-ahead is
 *     off where that is less than a block
 * @param diskThreads threads that do the file I/O of all strands; each owns a few staging buffers
 *     beside {@code bytes}
 * @param runBytes the most bytes that one transfer moves, and the size of a staging buffer; a
 *     larger block is a transfer of its own
 * @param writeBehindPercent write-back starts in the background when more than this share of the
 *     blocks is dirty
 * @param deadlineNanos how long one operation may take before it fails
 */
public record CacheOptions(
    long bytes,
    long readAheadBytes,
    int diskThreads,
    long runBytes,
    int writeBehindPercent,
    long deadlineNanos) {

  private static final long READ_AHEAD_BYTES = 4 << 20;
  private static final int DISK_THREADS = 2;
  private static final long RUN_BYTES = 1 << 20;
  private static final int WRITE_BEHIND_PERCENT = 25;
  private static final long DEADLINE_NANOS = 60_000_000_000L;

  /** Checks the bounds. */
  public CacheOptions {
    checkBytes(bytes);
    check("readAheadBytes", readAheadBytes, 0, 1L << 32);
    check("diskThreads", diskThreads, 1, 1 << 10);
    check("runBytes", runBytes, 1, 1 << 26);
    check("writeBehindPercent", writeBehindPercent, 0, 100);
    check("deadlineNanos", deadlineNanos, 1, Long.MAX_VALUE);
  }

  /** The defaults, with the given memory for blocks. */
  public static CacheOptions of(long bytes) {
    return new CacheOptions(
        bytes, READ_AHEAD_BYTES, DISK_THREADS, RUN_BYTES, WRITE_BEHIND_PERCENT, DEADLINE_NANOS);
  }

  /** These options with another read-ahead. */
  public CacheOptions withReadAheadBytes(long max) {
    return new CacheOptions(bytes, max, diskThreads, runBytes, writeBehindPercent, deadlineNanos);
  }

  /** These options with another number of disk threads. */
  public CacheOptions withDiskThreads(int threads) {
    return new CacheOptions(
        bytes, readAheadBytes, threads, runBytes, writeBehindPercent, deadlineNanos);
  }

  /** These options with another bound of transfers. */
  public CacheOptions withRunBytes(long max) {
    return new CacheOptions(
        bytes, readAheadBytes, diskThreads, max, writeBehindPercent, deadlineNanos);
  }

  /** These options with another share of dirty blocks; 100 turns write-behind off. */
  public CacheOptions withWriteBehindPercent(int percent) {
    return new CacheOptions(bytes, readAheadBytes, diskThreads, runBytes, percent, deadlineNanos);
  }

  /** What a limit of so many bytes comes to. */
  static long rounded(long bytes) {
    return bytes - bytes % BlockSize.DEFAULT_BYTES;
  }

  static void checkBytes(long bytes) {
    check("bytes", bytes, BlockSize.DEFAULT_BYTES, (long) BlockSize.DEFAULT_BYTES << 28);
  }

  private static void check(String what, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          what + " is " + value + ", must be in " + min + ".." + max);
    }
  }
}
