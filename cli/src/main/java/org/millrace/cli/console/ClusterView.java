package org.millrace.cli.console;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.cluster.ClusterState;
import org.millrace.cluster.Administration;
import org.millrace.cluster.NodeAdministration;
import org.millrace.cluster.RunningCluster;
import org.millrace.cluster.ScrubRun;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.protocol.NodeAction;
import org.millrace.server.ConsoleChange;
import org.millrace.server.ConsoleSource;

/**
 * A cluster as a console sees it. It asks the cluster when somebody looks, once a second at most
 * for all who do; what nodes hold, for which the coordinator goes through all names, once in five
 * seconds. If the connection is lost it connects anew at the next question.
 *
 * <p>Safe for use by several threads: one lock, which is held while the cluster is asked, so that
 * only one question is under way. Closing ends the connection.
 */
final class ClusterView implements ConsoleSource, AutoCloseable {

  /** Connects to the cluster. */
  interface Connect {
    RunningCluster connect() throws IOException;
  }

  private static final long SECOND = 1_000_000_000L;
  private static final long FRESH_NANOS = 900_000_000L;
  private static final long HOLDINGS_NANOS = 5 * SECOND;

  // constant after construction
  private final Env env;
  private final Connect connect;
  private final long maxWaitNanos;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private @Nullable RunningCluster cluster;

  @GuardedBy("lock")
  private @Nullable FileTree tree;

  @GuardedBy("lock")
  private Snapshot last = Snapshot.NONE;

  @GuardedBy("lock")
  private long askedNanos;

  @GuardedBy("lock")
  private long holdingsNanos;

  @GuardedBy("lock")
  private boolean closed;

  ClusterView(Env env, Connect connect, long maxWaitNanos) {
    this.env = env;
    this.connect = connect;
    this.maxWaitNanos = maxWaitNanos;
    this.askedNanos = env.nanoTime() - HOLDINGS_NANOS;
    this.holdingsNanos = askedNanos;
  }

  /** Connects now, so that a wrong address is told at once. */
  void open() throws IOException {
    lock.lock();
    try {
      cluster();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private RunningCluster cluster() throws IOException {
    if (closed) {
      throw new MillraceException(ErrorCode.CLOSED, "the console has ended");
    }
    RunningCluster there = cluster;
    if (there == null) {
      there = connect.connect();
      cluster = there;
    }
    return there;
  }

  /** What is known now: not older than a second, if the cluster answers. */
  Snapshot snapshot() {
    lock.lock();
    try {
      if (env.nanoTime() - askedNanos >= FRESH_NANOS) {
        last = ask();
        askedNanos = env.nanoTime();
      }
      return last;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private Snapshot ask() {
    try {
      Administration administration = cluster().administration();
      ClusterState now = ClusterState.of(env, administration);
      Snapshot next = last.then(now, administration.calls());
      if (env.nanoTime() - holdingsNanos >= HOLDINGS_NANOS) {
        next = next.with(holdings(administration));
        holdingsNanos = env.nanoTime();
      }
      return next;
    } catch (IOException e) {
      disconnect();
      return last.silent(String.valueOf(e.getMessage()));
    }
  }

  /** Nothing if this user may not ask. */
  private static List<NodeAdministration.State> holdings(Administration administration)
      throws IOException {
    try {
      return administration.nodes().list();
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.NOT_PERMITTED) {
        return List.of();
      }
      throw e;
    }
  }

  @GuardedBy("lock")
  private void disconnect() {
    try (RunningCluster _ = cluster;
        FileTree _ = tree) {
      // closed in the order of their opening, the last first
    } catch (IOException e) {
      // it is lost already, which is why it is closed
    }
    tree = null;
    cluster = null;
  }

  @Override
  public Object state() {
    return ConsoleValues.of(snapshot(), maxWaitNanos);
  }

  @Override
  public String metrics() {
    return ClusterMetrics.text(snapshot());
  }

  @Override
  public boolean isReady() {
    return snapshot().isReady();
  }

  /** A question about files; a session that is over is taken anew, once. */
  private interface Question<T> {
    T ask(RunningCluster cluster, FileTree tree) throws IOException;
  }

  private <T> T ask(Question<T> question) throws IOException {
    lock.lock();
    try {
      RunningCluster there = cluster();
      FileTree files = tree;
      if (files == null || files.isOver()) {
        files = there.files();
        tree = files;
      }
      return question.ask(there, files);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Object files(String directory, String after) throws IOException {
    return ask((_, files) -> FileValues.listing(files, directory, after));
  }

  @Override
  public Object file(String path) throws IOException {
    return ask((there, files) -> FileValues.of(there, files, path));
  }

  @Override
  public String change(ConsoleChange change) throws IOException {
    return ask(
        (there, files) -> {
          Administration administration = there.administration();
          switch (change) {
            case ConsoleChange.Scrub() -> {
              try (ScrubRun run = administration.scrub(0)) {
                return "%s nodes scrub their disks".formatted(run.nodes());
              }
            }
            case ConsoleChange.Drain(int node) -> {
              administration.nodes().change(node, NodeAction.DRAIN);
              return "node %s is being drained".formatted(node);
            }
            case ConsoleChange.Use(int node) -> {
              administration.nodes().change(node, NodeAction.USE);
              return "new files use node %s again".formatted(node);
            }
            case ConsoleChange.Remove(String path) -> {
              files.remove(FilePath.of(path).notFollowing(), FileTree.Removing.EITHER);
              return "%s is removed".formatted(path);
            }
          }
        });
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      disconnect();
    } finally {
      lock.unlock();
    }
  }
}
