package org.millrace.bench.grid;

import java.nio.file.Path;
import org.millrace.plan.Strategy;

/**
 * What {@link IorBenchmark} should do, with IOR's words. Immutable.
 *
 * @param folder where the files go, into a folder of their own that is removed afterwards
 * @param ranks how many take part
 * @param blockBytes contiguous bytes of one rank in one segment (-b)
 * @param transferBytes bytes of one call (-t)
 * @param segments how often each rank has a block (-s)
 * @param repetitions how often all of it is done (-i)
 * @param write whether to write (-w)
 * @param read whether to read (-r)
 * @param collective whether calls are collective (-c)
 * @param filePerProcess whether each rank has a file of its own (-F)
 * @param random whether each rank makes its transfers in random order (-z)
 * @param reorder whether each rank reads what its neighbour wrote (-C)
 * @param flush whether writing ends with making all durable (-e)
 * @param checkWrite whether written bytes are read again by all ranks and checked (-W)
 * @param strategy of collective calls
 */
public record IorOptions(
    Path folder,
    int ranks,
    long blockBytes,
    long transferBytes,
    int segments,
    int repetitions,
    boolean write,
    boolean read,
    boolean collective,
    boolean filePerProcess,
    boolean random,
    boolean reorder,
    boolean flush,
    boolean checkWrite,
    Strategy strategy) {

  private static final int MAX_RANKS = 256;

  /** All transfers are kept in memory, so that they can be checked when the time is taken. */
  private static final long MAX_BYTES = 4L << 30;

  /** Checks the bounds. */
  public IorOptions {
    if (ranks < 1 || ranks > MAX_RANKS || segments < 1 || repetitions < 1) {
      throw new IllegalArgumentException(
          "%s ranks, %s segments, %s repetitions: each must be at least 1, ranks at most %s"
              .formatted(ranks, segments, repetitions, MAX_RANKS));
    }
    if (transferBytes < Long.BYTES || transferBytes % Long.BYTES != 0) {
      throw new IllegalArgumentException(
          "a transfer of " + transferBytes + " bytes: must be a positive multiple of 8");
    }
    if (blockBytes < transferBytes || blockBytes % transferBytes != 0) {
      throw new IllegalArgumentException(
          "a block of %s bytes must be a multiple of a transfer, %s bytes"
              .formatted(blockBytes, transferBytes));
    }
    if (transferBytes > Integer.MAX_VALUE || blockBytes > MAX_BYTES / ranks / segments) {
      throw new IllegalArgumentException(
          "%s segments of %s bytes for %s ranks: more than %s bytes in all"
              .formatted(segments, blockBytes, ranks, MAX_BYTES));
    }
    if (!write && !read) {
      throw new IllegalArgumentException("neither write nor read: nothing to do");
    }
  }

  /** Bytes of one rank. */
  long rankBytes() {
    return blockBytes * segments;
  }

  /** Bytes of all ranks. */
  long bytes() {
    return rankBytes() * ranks;
  }

  /** Calls of one rank. */
  int transfers() {
    return (int) (rankBytes() / transferBytes);
  }

  /**
   * IOR's rule: where a transfer lies in its file.
   *
   * @param owner the rank whose data it is
   * @param transfer number of the transfer among the owner's, from 0
   */
  long offset(int owner, long transfer) {
    long at = transfer * transferBytes;
    long segment = at / blockBytes;
    long inBlock = at % blockBytes;
    return filePerProcess ? at : segment * ranks * blockBytes + owner * blockBytes + inBlock;
  }
}
