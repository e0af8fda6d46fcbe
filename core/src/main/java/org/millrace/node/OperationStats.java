package org.millrace.node;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.millrace.env.Env;

/**
 * Counts the requests of one kind, their bytes and their times. A small cached read takes 30 ns, so
 * counting must cost almost nothing: additions are not atomic, and the clock is read for few
 * requests only. Threads usually count in different places; if two use the same place at the same
 * time, a request may not be counted. The numbers are for monitoring, not for accounting.
 *
 * <p>Times go into buckets, four to each power of two, so that shares of them are known within 20
 * percent. Counters are named {@code <kind>.count}, {@code .bytes}, {@code .timed}, {@code .nanos}
 * (of those timed), {@code .p99Nanos}, and {@code .upTo.<nanos>}: how many of those timed fell into
 * the bucket that ends there. For a span of time, subtract two reports.
 *
 * <p>Safe for use by several threads. Allocates nothing after construction but in reports.
 */
final class OperationStats {

  /** As time at which a request began: it is not timed. */
  private static final long UNTIMED = Long.MIN_VALUE;

  private static final int STRIPES = 16;

  /** Two cache lines, because processors fetch lines in pairs. */
  private static final int STRIPE_LONGS = 16;

  private static final int SHARES = 4;
  private static final int SHARE_BITS = 2;
  private static final int BUCKETS = SHARES * 48; // up to 2^48 ns, three days

  // constant after construction
  private final Env env;
  private final String kind;
  private final int timedEach;

  // count and bytes, by stripe
  private final AtomicLongArray stripes = new AtomicLongArray(STRIPES * STRIPE_LONGS);

  private final AtomicLongArray buckets = new AtomicLongArray(BUCKETS);
  private final LongAdder nanos = new LongAdder();

  /** Times one of {@code timedEach} requests, a power of two. */
  OperationStats(Env env, String kind, int timedEach) {
    this.env = env;
    this.kind = kind;
    this.timedEach = timedEach;
  }

  /** A request begins; what is returned goes to {@link #end}. */
  long begin() {
    int at = stripe();
    long before = stripes.getPlain(at);
    stripes.setOpaque(at, before + 1);
    return (before & (timedEach - 1)) == 0 ? env.nanoTime() : UNTIMED;
  }

  /** A request has ended well. */
  void end(long began, long bytes) {
    if (bytes > 0) {
      int at = stripe() + 1;
      stripes.setOpaque(at, stripes.getPlain(at) + bytes);
    }
    if (began != UNTIMED) {
      long took = Math.max(0, env.nanoTime() - began);
      nanos.add(took);
      buckets.getAndIncrement(bucket(took));
    }
  }

  private int stripe() {
    return ((int) env.threadNumber() & (STRIPES - 1)) * STRIPE_LONGS;
  }

  /** The bucket of a time: 0 to 3 for themselves, then four to each power of two. */
  static int bucket(long took) {
    if (took < SHARES) {
      return (int) took;
    }
    int power = 63 - Long.numberOfLeadingZeros(took);
    int share = (int) (took >>> (power - SHARE_BITS)) & (SHARES - 1);
    return Math.min(BUCKETS - 1, (power - SHARE_BITS + 1) * SHARES + share);
  }

  /** The longest time that falls into a bucket. */
  static long bucketEnd(int bucket) {
    if (bucket < SHARES) {
      return bucket;
    }
    int shift = bucket / SHARES - 1;
    return ((long) (SHARES + bucket % SHARES + 1) << shift) - 1;
  }

  /** Adds what was counted so far; nothing if nothing was. */
  void addTo(Map<String, Long> counters) {
    long count = 0;
    long bytes = 0;
    for (int i = 0; i < STRIPES; i++) {
      count += stripes.get(i * STRIPE_LONGS);
      bytes += stripes.get(i * STRIPE_LONGS + 1);
    }
    if (count == 0) {
      return;
    }
    long[] timed = new long[BUCKETS];
    long all = 0;
    for (int i = 0; i < BUCKETS; i++) {
      timed[i] = buckets.get(i);
      all += timed[i];
    }
    counters.put(kind + ".count", count);
    counters.put(kind + ".bytes", bytes);
    counters.put(kind + ".timed", all);
    counters.put(kind + ".nanos", nanos.sum());
    long beyond = all / 100;
    for (int i = BUCKETS - 1; i >= 0; i--) {
      if (timed[i] > 0) {
        if (beyond >= 0 && beyond < timed[i]) {
          counters.put(kind + ".p99Nanos", bucketEnd(i));
        }
        beyond -= timed[i];
        counters.put(kind + ".upTo." + bucketEnd(i), timed[i]);
      }
    }
  }
}
