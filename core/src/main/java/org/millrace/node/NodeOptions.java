package org.millrace.node;

import org.millrace.cache.CacheOptions;

/**
 * How a node works.
 *
 * @param cache its share of memory
 * @param openStrands the most strands it keeps open at once; one more closes the one unused for
 *     longest
 * @param timeoutNanos longest time of opening, making or removing a strand
 */
public record NodeOptions(CacheOptions cache, int openStrands, long timeoutNanos) {

  /** The defaults, with the given memory for the cache. */
  public static NodeOptions of(long cacheBytes) {
    return new NodeOptions(CacheOptions.of(cacheBytes), 4096, 60_000_000_000L);
  }

  /** Checks the bounds. */
  public NodeOptions {
    if (openStrands < 1 || timeoutNanos < 1) {
      throw new IllegalArgumentException(
          "open strands %d and timeout %d ns must be positive"
              .formatted(openStrands, timeoutNanos));
    }
  }
}
