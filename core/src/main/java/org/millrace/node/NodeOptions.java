package org.millrace.node;

import org.millrace.cache.CacheOptions;

/**
 * Options of a node.
 *
 * @param cache its share of memory
 * @param openStrands the most strands it keeps open at once; one more closes the one unused for
 *     longest
 * @param timeoutNanos longest time of opening, making or removing a strand
 * @param workers the most threads that copy for one disk-directed call between cache and ranks
 * @param bufferBytes the most bytes of one buffer of a disk-directed call: neighbours on the disk
 *     are moved together up to this; at least a block
 * @param pinNanos how long another process may keep blocks pinned before they are taken away
 * @param smallBytes strands of no more bytes are kept in the node's log of strands; larger ones
 *     have files of their own
 * @param verifying whether blocks that are read are compared with their checksums; only a campaign
 *     that must then find wrong bytes turns it off
 * @param matchBytes programs wait until copies that differ are equal where the strand is no longer;
 *     longer ones are made so while programs use them
 * @param judge decides which copy of a block is right when a scrub compares them
 */
public record NodeOptions(
    CacheOptions cache,
    int openStrands,
    long timeoutNanos,
    int workers,
    long bufferBytes,
    long pinNanos,
    int smallBytes,
    boolean verifying,
    long matchBytes,
    CopyVerdict.Judge judge) {

  private static final int OPEN_STRANDS = 4096;
  private static final long TIMEOUT_NANOS = 60_000_000_000L;
  private static final long BUFFER_BYTES = 1 << 20;
  private static final long PIN_NANOS = 2_000_000_000L;
  private static final int SMALL_BYTES = 4096;
  private static final long MATCH_BYTES = 64 << 20;

  /** The defaults, with the given memory for the cache. */
  public static NodeOptions of(long cacheBytes) {
    return new NodeOptions(
        CacheOptions.of(cacheBytes),
        OPEN_STRANDS,
        TIMEOUT_NANOS,
        Runtime.getRuntime().availableProcessors(),
        BUFFER_BYTES,
        PIN_NANOS,
        SMALL_BYTES,
        true,
        MATCH_BYTES,
        CopyVerdict::of);
  }

  /** Checks the bounds. */
  public NodeOptions {
    if (openStrands < 1
        || timeoutNanos < 1
        || workers < 1
        || bufferBytes < 1
        || pinNanos < 1
        || smallBytes < 0
        || matchBytes < 0) {
      throw new IllegalArgumentException(
          ("open strands %s, timeout %s ns, workers %s, buffer bytes %s and pins for %s ns"
                  + " must be positive, small bytes %s and bytes to match %s not negative")
              .formatted(
                  openStrands,
                  timeoutNanos,
                  workers,
                  bufferBytes,
                  pinNanos,
                  smallBytes,
                  matchBytes));
    }
  }

  /** These options with other cache options. */
  public NodeOptions withCache(CacheOptions other) {
    return new NodeOptions(
        other,
        openStrands,
        timeoutNanos,
        workers,
        bufferBytes,
        pinNanos,
        smallBytes,
        verifying,
        matchBytes,
        judge);
  }

  /** These options with another bound of open strands. */
  public NodeOptions withOpenStrands(int max) {
    return new NodeOptions(
        cache,
        max,
        timeoutNanos,
        workers,
        bufferBytes,
        pinNanos,
        smallBytes,
        verifying,
        matchBytes,
        judge);
  }

  /** These options with another number of threads for a disk-directed call. */
  public NodeOptions withWorkers(int max) {
    return new NodeOptions(
        cache,
        openStrands,
        timeoutNanos,
        max,
        bufferBytes,
        pinNanos,
        smallBytes,
        verifying,
        matchBytes,
        judge);
  }

  /** These options with other buffers of a disk-directed call. */
  public NodeOptions withBufferBytes(long bytes) {
    return new NodeOptions(
        cache,
        openStrands,
        timeoutNanos,
        workers,
        bytes,
        pinNanos,
        smallBytes,
        verifying,
        matchBytes,
        judge);
  }

  /** These options with another limit of pins. */
  public NodeOptions withPinNanos(long nanos) {
    return new NodeOptions(
        cache,
        openStrands,
        timeoutNanos,
        workers,
        bufferBytes,
        nanos,
        smallBytes,
        verifying,
        matchBytes,
        judge);
  }

  /** These options with another bound of small strands; 0 for none. */
  public NodeOptions withSmallBytes(int max) {
    return new NodeOptions(
        cache,
        openStrands,
        timeoutNanos,
        workers,
        bufferBytes,
        pinNanos,
        max,
        verifying,
        matchBytes,
        judge);
  }

  /** These options with nodes that believe whatever they read. For the control of a campaign. */
  public NodeOptions withoutVerification() {
    return new NodeOptions(
        cache,
        openStrands,
        timeoutNanos,
        workers,
        bufferBytes,
        pinNanos,
        smallBytes,
        false,
        matchBytes,
        judge);
  }

  /** These options with another bound of strands whose copies are made equal at once. */
  public NodeOptions withMatchBytes(long max) {
    return new NodeOptions(
        cache,
        openStrands,
        timeoutNanos,
        workers,
        bufferBytes,
        pinNanos,
        smallBytes,
        verifying,
        max,
        judge);
  }

  /** These options with scrubs that decide in another way. For controls. */
  public NodeOptions withJudge(CopyVerdict.Judge other) {
    return new NodeOptions(
        cache,
        openStrands,
        timeoutNanos,
        workers,
        bufferBytes,
        pinNanos,
        smallBytes,
        verifying,
        matchBytes,
        other);
  }
}
