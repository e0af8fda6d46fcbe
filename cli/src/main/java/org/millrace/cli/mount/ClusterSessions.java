package org.millrace.cli.mount;

import java.io.IOException;
import java.io.InterruptedIOException;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.Env;
import org.millrace.mount.ReconnectingTree;
import org.millrace.mount.ReconnectingTree.Session;

/** The sessions of a mount, one after the other. Safe for use by several threads: no state. */
final class ClusterSessions implements ReconnectingTree.Connecting {

  /** For how long nodes may register after their coordinator. */
  private static final long REGISTER_NANOS = 10_000_000_000L;

  private static final long PAUSE_NANOS = 100_000_000L;

  private final Env env;
  private final ClusterPlace place;

  ClusterSessions(Env env, ClusterPlace place) {
    this.env = env;
    this.place = place;
  }

  /** The first: where no daemons run, this process opens the cluster's directory. */
  Session first() throws IOException {
    return session(place.open());
  }

  /**
   * Another, of the daemons: the directory is theirs, who will want it when they come back. Waits a
   * while for nodes that have not come yet, since calls would fail that need them.
   */
  @Override
  public Session connect() throws IOException {
    RunningCluster cluster = place.connect();
    try {
      long deadline = env.deadlineAfter(REGISTER_NANOS);
      while (!isWhole(cluster) && env.nanoTime() < deadline) {
        env.sleep(PAUSE_NANOS);
      }
    } catch (IOException e) {
      cluster.close();
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      cluster.close();
      throw (IOException) new InterruptedIOException("while nodes register").initCause(e);
    }
    return session(cluster);
  }

  private static boolean isWhole(RunningCluster cluster) throws IOException {
    return cluster.nodeFacts().stream().allMatch(node -> node.up() || node.isRemoved());
  }

  private static Session session(RunningCluster cluster) throws IOException {
    try {
      return new Session(cluster.files(), cluster::close);
    } catch (IOException e) {
      cluster.close();
      throw e;
    }
  }
}
