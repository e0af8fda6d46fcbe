package org.millrace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.millrace.disk.RunFolder;
import org.millrace.disk.SecretFile;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.wire.Secret;

/**
 * A coordinator or a node that serves other processes, until it is closed.
 *
 * <p>Safe for use by several threads. Closing ends all connections and makes everything durable; it
 * is idempotent.
 */
public final class Server implements AutoCloseable {

  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final long PAUSE_NANOS = 200_000_000L;

  // constant after construction
  private final Signal changed;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<AutoCloseable> inOrder = new ArrayList<>(); // filled while it starts

  // guarded by lock
  private boolean asked;
  private boolean closed;

  private Server(Env env) {
    this.changed = env.signal(lock);
  }

  /**
   * Starts the coordinator of the cluster in {@code directory}, which is begun if there is none.
   *
   * @param nodes how many nodes it has at least; 0 for as many as it had
   * @param log told what happens, for people
   */
  public static Server coordinator(
      Path directory, int nodes, ServerOptions options, Consumer<String> log) throws IOException {
    JvmCheck.check();
    Env env = Env.real();
    Server server = new Server(env);
    try {
      CoordinatorPart part = CoordinatorPart.open(env, directory, nodes, options, server::askToEnd);
      server.inOrder.addFirst(part);
      RunFolder folder = RunFolder.make(directory, options.shared());
      Whereabouts where = new Whereabouts.In(directory);
      Site site = Site.open(env, folder, "coordinator.socket", options, where);
      server.inOrder.addFirst(site);
      part.serve(site.door(), site.dialer());
      var said = CoordinatorAddress.ofThis(site.door().address(), "");
      said.write(folder);
      server.inOrder.addFirst(() -> said.delete(folder));
      log.accept("serves cluster " + part.cluster() + " at " + said.address());
      return server;
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(server.inOrder, e);
      throw e;
    }
  }

  /**
   * Starts node {@code number}, as soon as the coordinator answers.
   *
   * @param directory in which the node has its directory
   * @param where the cluster is; {@code directory}, if that is the coordinator's, too
   * @param log told what happens, for people
   */
  public static Server node(
      Path directory, int number, Whereabouts where, ServerOptions options, Consumer<String> log)
      throws IOException {
    JvmCheck.check();
    Env env = Env.real();
    Server server = new Server(env);
    try {
      awaitAddress(env, where);
      RunFolder folder = RunFolder.make(directory, options.shared());
      Site site = Site.open(env, folder, "node-" + number + ".socket", options, where);
      server.inOrder.addFirst(site);
      Facts facts = awaitCoordinator(env, site.dialer());
      if (number < 0 || number >= facts.nodes().size()) {
        throw new MillraceException(
            ErrorCode.NODE,
            "node %d is none of the cluster's nodes 0 to %d"
                .formatted(number, facts.nodes().size() - 1));
      }
      var place = NodePart.Place.of(directory, number, facts);
      NodePart part =
          NodePart.start(
              env,
              place,
              options,
              site.door(),
              site.dialer(),
              site.transport().host(),
              server::askToEnd,
              log);
      server.inOrder.add(part); // after the door
      server.inOrder.addFirst(part::unregister);
      log.accept(
          "serves as " + part + " of cluster " + facts.cluster() + " at " + site.door().address());
      return server;
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(server.inOrder, e);
      throw e;
    }
  }

  /** The cluster's secret, which nodes check capabilities with. */
  static Secret secret(Path directory) throws IOException {
    return SecretFile.read(directory)
        .map(Secret::new)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.NOT_PERMITTED,
                    "there is no file secret in %s: copy the coordinator's, with mode 600"
                        .formatted(directory)));
  }

  /**
   * Waits until a coordinator has left its address where it is looked for: by then there is a
   * secret, which the transport needs from the start.
   */
  private static void awaitAddress(Env env, Whereabouts where) throws IOException {
    long deadline = env.deadlineAfter(PATIENCE_NANOS);
    while (true) {
      try {
        where.coordinator();
        return;
      } catch (IOException e) {
        if (env.nanoTime() > deadline) {
          throw e;
        }
      }
      pause(env, PAUSE_NANOS);
    }
  }

  private static Facts awaitCoordinator(Env env, Dialer dialer) throws IOException {
    long deadline = env.deadlineAfter(PATIENCE_NANOS);
    while (true) {
      try (Link link = dialer.coordinator()) {
        return dialer.facts(link);
      } catch (IOException e) {
        if (env.nanoTime() > deadline) {
          throw e;
        }
      }
      pause(env, PAUSE_NANOS);
    }
  }

  static void pause(Env env, long nanos) throws MillraceException {
    try {
      env.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorCode.CLOSED, "interrupted", e);
    }
  }

  private void askToEnd() {
    lock.lock();
    try {
      asked = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until somebody who may has asked this server to end, or it is closed. */
  public void awaitAskedToEnd() {
    lock.lock();
    try {
      while (!asked && !closed) {
        changed.await(Env.NEVER); // a server runs until it is told to end
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    Closing.closeAll(inOrder);
  }
}
