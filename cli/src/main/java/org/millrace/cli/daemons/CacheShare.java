package org.millrace.cli.daemons;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * How much memory a node's cache gets when nobody says so: a sixteenth of the host's memory, and
 * all nodes that {@code up} starts together an eighth; at least 256 MiB each. A file that has just
 * been put is then still there for those who get it. Stateless.
 */
final class CacheShare {

  /** What a node gets at least. */
  static final long MIN_BYTES = 256L << 20;

  private static final int MAX_PART = 16;
  private static final int ALL_PART = 8;

  private CacheShare() {}

  /** For each of some nodes on a host with so much memory. */
  static long of(long memoryBytes, int nodes) {
    long share = Math.min(memoryBytes / MAX_PART, memoryBytes / ALL_PART / nodes);
    return Math.max(MIN_BYTES, share);
  }

  /** For each of some nodes on this host. */
  static long here(int nodes) {
    var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return of(system.getTotalMemorySize(), nodes);
  }
}
