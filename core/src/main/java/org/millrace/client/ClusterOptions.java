package org.millrace.client;

import org.millrace.plan.Hints;

/**
 * How a cluster in one JVM works. Immutable; start from {@link #DEFAULT}.
 *
 * @param cacheBytesPerNode memory that each node may use to cache blocks
 * @param stripeUnitBytes of files made without one of their own
 * @param pageCache which transfers go past the operating system's page cache, where the file system
 *     allows it
 * @param limits what ranks may take and how long they wait
 * @param hints how collective calls are carried out, of files that are opened without their own
 */
public record ClusterOptions(
    long cacheBytesPerNode, long stripeUnitBytes, PageCache pageCache, Limits limits, Hints hints) {

  /** 256 MiB of cache on each node, stripe units of 64 KiB, writes past the page cache. */
  public static final ClusterOptions DEFAULT =
      new ClusterOptions(
          256L << 20, 64L << 10, PageCache.WRITES_PAST, Limits.DEFAULT, Hints.DEFAULT);

  /** Checks the bounds. */
  public ClusterOptions {
    if (cacheBytesPerNode < 64 << 10 || stripeUnitBytes < 1) {
      throw new IllegalArgumentException(
          "a cache of %s bytes must hold a block of 64 KiB, a stripe unit of %s bytes must be positive"
              .formatted(cacheBytesPerNode, stripeUnitBytes));
    }
  }

  /** The same with another size of cache. */
  public ClusterOptions withCacheBytesPerNode(long bytes) {
    return new ClusterOptions(bytes, stripeUnitBytes, pageCache, limits, hints);
  }

  /** The same with another stripe unit. */
  public ClusterOptions withStripeUnitBytes(long bytes) {
    return new ClusterOptions(cacheBytesPerNode, bytes, pageCache, limits, hints);
  }

  /** The same with another use of the page cache. */
  public ClusterOptions withPageCache(PageCache use) {
    return new ClusterOptions(cacheBytesPerNode, stripeUnitBytes, use, limits, hints);
  }

  /** The same with other limits. */
  public ClusterOptions withLimits(Limits newLimits) {
    return new ClusterOptions(cacheBytesPerNode, stripeUnitBytes, pageCache, newLimits, hints);
  }

  /** The same with other hints. */
  public ClusterOptions withHints(Hints newHints) {
    return new ClusterOptions(cacheBytesPerNode, stripeUnitBytes, pageCache, limits, newHints);
  }
}
