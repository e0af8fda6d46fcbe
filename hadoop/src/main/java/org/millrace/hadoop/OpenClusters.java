package org.millrace.hadoop;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The clusters that file systems of this JVM have open. Hadoop makes several file systems for one
 * URI (a cache of its own, {@code newInstance}, {@code FileContext}), and a directory can be opened
 * once only: so they share a cluster, which is closed with the last of them.
 *
 * <p>Safe for use by several threads: one lock, which is held while a cluster is opened or closed.
 */
final class OpenClusters {

  /** Hadoop makes file systems by itself and can hand them nothing, so there is one for all. */
  static final OpenClusters OF_THIS_JVM = new OpenClusters();

  private static final class Use {
    final OpenCluster cluster;
    int count;

    Use(OpenCluster cluster) {
      this.cluster = cluster;
    }
  }

  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<ClusterSettings, Use> uses = new HashMap<>();

  /** The cluster, to be given back once. */
  OpenCluster take(ClusterSettings settings) throws IOException {
    lock.lock();
    try {
      Use use = uses.get(settings);
      if (use == null) {
        use = new Use(OpenCluster.open(settings));
        uses.put(settings, use);
      }
      use.count++;
      return use.cluster;
    } finally {
      lock.unlock();
    }
  }

  /** Ends a use of a cluster. */
  void giveBack(OpenCluster cluster) throws IOException {
    lock.lock();
    try {
      Use use = uses.get(cluster.settings());
      if (use == null || use.cluster != cluster) {
        throw new IllegalStateException(cluster.settings().location() + " was given back before");
      }
      if (--use.count == 0) {
        uses.remove(cluster.settings());
        cluster.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
