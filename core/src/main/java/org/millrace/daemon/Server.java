package org.millrace.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.millrace.cluster.Closing;
import org.millrace.cluster.ClusterDirectory;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.CoordinatorAddress;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.cluster.Dialer;
import org.millrace.cluster.JvmCheck;
import org.millrace.cluster.Pause;
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

  private static final long TIMEOUT_NANOS = 30_000_000_000L;
  private static final long PAUSE_NANOS = 200_000_000L;

  // constant after construction
  private final Signal changed;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<AutoCloseable> inOrder = new ArrayList<>(); // filled while it starts

  // guarded by lock
  private boolean stopRequested;
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
      CoordinatorPart part =
          CoordinatorPart.open(
              env,
              directory,
              nodes,
              options,
              options.transport().graceNanos(),
              server::requestStop,
              log);
      server.inOrder.addFirst(part);
      RunFolder folder = RunFolder.make(directory, options.shared());
      ClusterLocation location = new ClusterLocation.In(directory);
      ProcessNetwork network =
          ProcessNetwork.open(env, folder, "coordinator.socket", options, location);
      server.inOrder.addFirst(network);
      part.serve(network.acceptor(), network.dialer());
      var said = CoordinatorAddress.ofThis(network.acceptor().address(), "");
      said.write(folder);
      server.inOrder.addFirst(() -> said.delete(folder));
      log.accept("serves cluster " + part.cluster() + " at " + said.address());
      return server;
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(server.inOrder, e);
      throw e;
    }
  }

  /** What one of several coordinators does that has no folder yet. */
  public enum Beginning {
    /** It has lost it, and does not start. */
    NONE,
    /** It begins a cluster, with the others. */
    BEGINS,
    /** The others are at work, and take it in. */
    JOINS
  }

  /** The identity of the cluster whose coordinators have their secret in {@code directory}. */
  public static String clusterOfMembers(Path directory) throws IOException {
    return ReplicatedCoordinator.cluster(secret(directory));
  }

  /**
   * Starts one of several coordinators, those that the file {@code coordinators} in {@code
   * directory} lists.
   *
   * @param number which of them
   * @param nodes how many nodes the cluster has at least; 0 for as many as it had
   * @param beginning what it does if its part of the directory is missing
   * @param keys folder of the keys with which they recognize each other
   */
  public static Server member(
      Path directory,
      int number,
      int nodes,
      Beginning beginning,
      Path keys,
      ServerOptions options,
      Consumer<String> log)
      throws IOException {
    JvmCheck.check();
    Env env = Env.real();
    Server server = new Server(env);
    try {
      CoordinatorGroup group =
          CoordinatorGroup.read(directory)
              .orElseThrow(
                  () ->
                      new MillraceException(
                          ErrorCode.INVALID,
                          "there is no file %s: it lists all coordinators, and is the same for all"
                              .formatted(directory.resolve(CoordinatorGroup.FILE))));
      CoordinatorGroup.Member self =
          group
              .member(number)
              .orElseThrow(
                  () ->
                      new MillraceException(
                          ErrorCode.INVALID,
                          "%s lists no coordinator %s"
                              .formatted(directory.resolve(CoordinatorGroup.FILE), number)));
      Secret secret = CoordinatorPart.secret(env, directory);
      String cluster = ReplicatedCoordinator.cluster(secret);
      ClusterDirectory.Part part =
          ClusterDirectory.openMember(
              directory, number, cluster, beginning != Beginning.NONE, nodes);
      server.inOrder.addFirst(part);
      RunFolder folder = RunFolder.make(directory, options.shared());
      ProcessNetwork network =
          ProcessNetwork.open(
              env,
              folder,
              self.name() + ".socket",
              options.withAddress(self.clients()),
              new ClusterLocation.In(directory));
      server.inOrder.addFirst(network);
      var place =
          new CoordinatorPart.Place(
              env, directory, part, secret, CoordinatorPart.costs(env, part), Map::of, log);
      server.inOrder.addFirst(
          ReplicatedCoordinator.start(
              place,
              options,
              new Replication.Membership(cluster, group, number, keys, directory, beginning),
              folder,
              network.acceptor(),
              server::requestStop,
              log));
      log.accept("serves cluster " + cluster + " as one of several at " + self.clients());
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
   * @param location the cluster is; {@code directory}, if that is the coordinator's, too
   * @param log told what happens, for people
   */
  public static Server node(
      Path directory,
      int number,
      ClusterLocation location,
      ServerOptions options,
      Consumer<String> log)
      throws IOException {
    JvmCheck.check();
    Env env = Env.real();
    Server server = new Server(env);
    try {
      awaitAddress(env, location);
      RunFolder folder = RunFolder.make(directory, options.shared());
      ProcessNetwork network =
          ProcessNetwork.open(env, folder, "node-" + number + ".socket", options, location);
      server.inOrder.addFirst(network);
      Facts facts = awaitCoordinator(env, network.dialer());
      if (number < 0 || number >= facts.nodes().size()) {
        throw new MillraceException(
            ErrorCode.NODE,
            "node %s is none of the cluster's nodes 0 to %s"
                .formatted(number, facts.nodes().size() - 1));
      }
      var place = NodePart.Place.of(directory, number, facts);
      NodePart part =
          NodePart.start(
              env,
              place,
              options,
              network.acceptor(),
              network.dialer(),
              network.transport().host(),
              server::requestStop,
              log);
      server.inOrder.add(part); // after the acceptor
      server.inOrder.addFirst(part::unregister);
      log.accept(
          "serves as "
              + part
              + " of cluster "
              + facts.cluster()
              + " at "
              + network.acceptor().address());
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
  private static void awaitAddress(Env env, ClusterLocation location) throws IOException {
    long deadline = env.deadlineAfter(TIMEOUT_NANOS);
    while (true) {
      try {
        location.coordinator();
        return;
      } catch (IOException e) {
        if (env.nanoTime() > deadline) {
          throw e;
        }
      }
      Pause.of(env, PAUSE_NANOS);
    }
  }

  private static Facts awaitCoordinator(Env env, Dialer dialer) throws IOException {
    long deadline = env.deadlineAfter(TIMEOUT_NANOS);
    while (true) {
      try (Link link = dialer.coordinator()) {
        return dialer.facts(link);
      } catch (IOException e) {
        if (env.nanoTime() > deadline) {
          throw e;
        }
      }
      Pause.of(env, PAUSE_NANOS);
    }
  }

  private void requestStop() {
    lock.lock();
    try {
      stopRequested = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until an authorized user asks this server to stop, or until it is closed. */
  public void awaitStopRequest() {
    lock.lock();
    try {
      while (!stopRequested && !closed) {
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
