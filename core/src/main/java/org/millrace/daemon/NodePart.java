package org.millrace.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.millrace.cluster.Closing;
import org.millrace.cluster.ClusterDirectory;
import org.millrace.cluster.Dialer;
import org.millrace.cluster.StoredPlaces;
import org.millrace.coordinator.NodeStates;
import org.millrace.coordinator.Starts;
import org.millrace.disk.Disk;
import org.millrace.env.Env;
import org.millrace.message.Acceptor;
import org.millrace.message.Endpoint;
import org.millrace.node.Guard;
import org.millrace.node.Node;
import org.millrace.node.NodeOptions;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.protocol.StrandId;
import org.millrace.wire.HostMemory;
import org.millrace.wire.Secret;

/**
 * A node as part of a process: its directory, the node itself, the guard in front of it, and its
 * registration at the coordinator.
 *
 * <p>Made and closed by one thread. Closing makes everything durable; the owner of the acceptor
 * closes that first.
 */
public final class NodePart implements AutoCloseable {

  // constant after construction
  private final int number;
  private final Registration registration;
  private final List<AutoCloseable> inOrder;

  private NodePart(int number, Registration registration, List<AutoCloseable> inOrder) {
    this.number = number;
    this.registration = registration;
    this.inOrder = List.copyOf(inOrder);
  }

  /**
   * The node's identity and its cluster.
   *
   * @param directory of the cluster
   * @param number of the node
   * @param cluster identity of the cluster
   * @param mayMake whether its directory is made if it is missing
   * @param secret of the cluster
   */
  public record Place(Path directory, int number, String cluster, boolean mayMake, Secret secret) {

    /** The place of a node in a directory. */
    public static Place of(Path directory, int number, Facts facts) throws IOException {
      boolean mayMake =
          NodeStates.isReplaced(facts.settings(), number)
              || (StoredPlaces.mayMake(facts.settings(), number)
                  && Starts.of(facts.settings(), number).epoch()
                      == 0); // one coordinator of several
      return new Place(directory, number, facts.cluster(), mayMake, Server.secret(directory));
    }
  }

  /**
   * What a node keeps its strands in.
   *
   * @param number of the node
   * @param disk its disk
   * @param secret of the cluster
   * @param tuning changes how the node works
   * @param below closed with the node
   */
  record Store(
      int number,
      Disk disk,
      Secret secret,
      UnaryOperator<NodeOptions> tuning,
      List<AutoCloseable> below) {}

  /** Opens its directory, serves it at {@code acceptor} and registers it. */
  public static NodePart start(
      Env env,
      Place place,
      ServerOptions options,
      Acceptor acceptor,
      Dialer dialer,
      HostMemory host,
      Runnable onShutdown,
      Consumer<String> log)
      throws IOException {
    ClusterDirectory.Part part =
        ClusterDirectory.openNode(
            place.directory, place.number, place.cluster, place.mayMake, options.pageCache());
    var store =
        new Store(place.number, part.disk(), place.secret, UnaryOperator.identity(), List.of(part));
    return start(
        env, store, options, acceptor, dialer, UnaryOperator.identity(), host, onShutdown, log);
  }

  /**
   * Serves what is in {@code store} at {@code acceptor} and registers it.
   *
   * @param front what is reached instead of the node, given the node
   * @param host memory that other processes can map
   */
  public static NodePart start(
      Env env,
      Store store,
      ServerOptions options,
      Acceptor acceptor,
      Dialer dialer,
      UnaryOperator<Endpoint> front,
      HostMemory host,
      Runnable onShutdown,
      Consumer<String> log)
      throws IOException {
    List<AutoCloseable> made = new ArrayList<>(store.below);
    String name = Dialer.nameOfNode(store.number);
    try {
      NodeOptions tuned = store.tuning.apply(NodeOptions.of(options.cacheBytes()));
      Node node = new Node(env, name, store.disk, tuned, host);
      made.addFirst(node);
      node.tellTroubles(log);
      node.serveCopies(store.number, new DialedPeers(env, dialer));
      String superuser = System.getProperty("user.name", "unknown");
      Guard guard = new Guard(env, name, front.apply(node), store.secret, superuser, onShutdown);
      guard.tellRefusals(log);
      dialer.add(name, guard.own());
      String address = acceptor.address().toString();
      Registration.Beginning beginning =
          new Registration.Beginning() {
            @Override
            public long begin(Starts starts) throws IOException {
              return node.begin(starts.epoch(), starts.runs());
            }

            @Override
            public void onLost(List<StrandId> lost) throws IOException {
              node.onLost(lost);
            }
          };
      Registration registration =
          new Registration(
              env, dialer, store.number, address, guard, beginning, node::onHeartbeat, log);
      made.addFirst(registration);
      registration.start(() -> acceptor.serve(name, guard));
      if (options.scrubBytes() > 0) {
        node.scrubInBackground(options.scrubBytes());
      }
      return new NodePart(store.number, registration, made);
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(made, e);
      throw e;
    }
  }

  /** Tells the coordinator that this node ends. Before the connections do. */
  public void unregister() {
    registration.close();
  }

  @Override
  public void close() throws IOException {
    Closing.closeAll(inOrder);
  }

  @Override
  public String toString() {
    return Dialer.nameOfNode(number);
  }
}
