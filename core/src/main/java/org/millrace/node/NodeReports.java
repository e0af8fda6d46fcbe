package org.millrace.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.cache.BlockCache;
import org.millrace.cache.CacheReport;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskSpace;
import org.millrace.env.Env;
import org.millrace.message.Troubles;

/**
 * A node's statistics, as named counters. Names without a dot belong to the cache and the disk;
 * {@link OperationStats} defines the others.
 *
 * <p>Safe for use by several threads.
 */
final class NodeReports {

  /** Scanning a disk of many files takes long, and monitors ask often. */
  private static final long SPACE_NANOS = 5_000_000_000L;

  /** Gets and puts of one JVM are so short that the clock would be felt. */
  private static final int SELDOM = 128;

  final OperationStats get;
  final OperationStats put;
  final OperationStats list;
  final OperationStats direct;
  final OperationStats flush;
  final OperationStats pin;

  // constant after construction
  private final Env env;
  private final Disk disk;
  private final BlockCache cache;
  private final Troubles troubles;
  private final long started;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private DiskSpace space = DiskSpace.UNKNOWN;

  @GuardedBy("lock")
  private long spaceKnownUntil;

  NodeReports(Env env, Disk disk, BlockCache cache, Troubles troubles) {
    this.env = env;
    this.disk = disk;
    this.cache = cache;
    this.troubles = troubles;
    this.get = new OperationStats(env, "get", SELDOM);
    this.put = new OperationStats(env, "put", SELDOM);
    this.list = new OperationStats(env, "list", 1);
    this.direct = new OperationStats(env, "direct", 1);
    this.flush = new OperationStats(env, "flush", 1);
    this.pin = new OperationStats(env, "pin", 1);
    this.started = env.nanoTime();
    this.spaceKnownUntil = started;
  }

  /** Touches the disk: not for a rank's thread. */
  Map<String, Long> counters() throws IOException {
    CacheReport report = cache.report();
    Map<String, Long> counters = new LinkedHashMap<>(report.counters());
    DiskSpace now = space();
    counters.put("storedBytes", now.storedBytes());
    counters.put("diskFree", now.freeBytes());
    counters.put("diskTotal", now.totalBytes());
    counters.put("upNanos", env.nanoTime() - started);
    troubles.addTo(counters);
    get.addTo(counters);
    put.addTo(counters);
    list.addTo(counters);
    direct.addTo(counters);
    flush.addTo(counters);
    pin.addTo(counters);
    return counters;
  }

  private DiskSpace space() throws IOException {
    lock.lock();
    try {
      long now = env.nanoTime();
      if (now >= spaceKnownUntil) {
        space = disk.space();
        spaceKnownUntil = now + SPACE_NANOS;
      }
      return space;
    } finally {
      lock.unlock();
    }
  }
}
