package org.millrace.hadoop;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.files.FileTree;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Tls;
import org.millrace.wire.TlsKeys;

/**
 * A cluster and a session in it. When the session is over, as after a restart of the whole cluster,
 * the next call takes another; what is open in the old one fails.
 *
 * <p>Safe for use by several threads. Closing closes session and cluster.
 */
final class OpenCluster implements AutoCloseable {

  /** A cluster with a session. */
  private record Life(RunningCluster cluster, FileTree tree) {

    static Life of(RunningCluster cluster) throws IOException {
      try {
        return new Life(cluster, cluster.files());
      } catch (IOException | RuntimeException e) {
        try {
          cluster.close();
        } catch (IOException suppressed) {
          e.addSuppressed(suppressed);
        }
        throw e;
      }
    }

    void close() throws IOException {
      try (cluster) {
        tree.close();
      }
    }
  }

  // constant after construction
  private final ClusterSettings settings;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private Life life;

  @GuardedBy("lock")
  private boolean closed;

  private OpenCluster(ClusterSettings settings, Life life) {
    this.settings = settings;
    this.life = life;
  }

  static OpenCluster open(ClusterSettings settings) throws IOException {
    return new OpenCluster(settings, Life.of(cluster(settings)));
  }

  private static RunningCluster cluster(ClusterSettings settings) throws IOException {
    ClusterOptions options = ClusterOptions.DEFAULT;
    ClusterLocation location = ClusterLocation.parse(settings.location());
    if (location instanceof ClusterLocation.In in && !in.hasDaemons()) {
      return settings.nodes().isEmpty()
          ? RunningCluster.open(in.directory(), options)
          : RunningCluster.embedded(in.directory(), settings.nodes().getAsInt(), options);
    }
    TransportOptions transport = TransportOptions.DEFAULT;
    if (settings.keys().isPresent()) {
      TlsKeys tls = Tls.load(settings.keys().get());
      transport = transport.withSecurity(transport.security().withTls(tls));
    }
    return RunningCluster.connect(location, options, transport);
  }

  ClusterSettings settings() {
    return settings;
  }

  /** The files, in a session that is not known to be over. */
  FileTree tree() throws IOException {
    lock.lock();
    try {
      if (!closed && life.tree.isOver()) {
        Life over = life;
        life = Life.of(cluster(settings));
        closeQuietly(over);
      }
      return life.tree;
    } finally {
      lock.unlock();
    }
  }

  private static void closeQuietly(Life over) {
    try {
      over.close();
    } catch (IOException e) {
      // it was over before, and those who use it have been told
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        life.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
