package org.millrace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.millrace.disk.Disk;
import org.millrace.env.Env;
import org.millrace.message.Door;
import org.millrace.message.Endpoint;
import org.millrace.node.Guard;
import org.millrace.node.Node;
import org.millrace.node.NodeOptions;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.wire.HostMemory;
import org.millrace.wire.Secret;

/**
 * A node as part of a process: its directory, the node itself, the guard in front of it, and its
 * registration at the coordinator.
 *
 * <p>Made and closed by one thread. Closing makes everything durable; whoever owns the door closes
 * that first.
 */
final class NodePart implements AutoCloseable {

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
   * Who it is and where it belongs.
   *
   * @param directory of the cluster
   * @param number of the node
   * @param cluster identity of the cluster
   * @param mayMake whether its directory is made if it is missing
   * @param secret of the cluster
   */
  record Place(Path directory, int number, String cluster, boolean mayMake, Secret secret) {

    static Place of(Path directory, int number, Facts facts) throws IOException {
      boolean mayMake = StoredPlaces.mayMake(facts.settings(), number);
      return new Place(directory, number, facts.cluster(), mayMake, Server.secret(directory));
    }
  }

  /**
   * What a node keeps its strands in.
   *
   * @param number of the node
   * @param disk its disk
   * @param secret of the cluster
   * @param below closed with the node
   */
  record Store(int number, Disk disk, Secret secret, List<AutoCloseable> below) {}

  /** Opens its directory, serves it at {@code door} and registers it. */
  static NodePart start(
      Env env,
      Place place,
      ServerOptions options,
      Door door,
      Dialer dialer,
      HostMemory host,
      Runnable onShutdown,
      Consumer<String> log)
      throws IOException {
    ClusterDirectory.Part part =
        ClusterDirectory.openNode(
            place.directory, place.number, place.cluster, place.mayMake, options.pageCache());
    var store = new Store(place.number, part.disk(), place.secret, List.of(part));
    return start(
        env, store, options, door, dialer, UnaryOperator.identity(), host, onShutdown, log);
  }

  /**
   * Serves what is in {@code store} at {@code door} and registers it.
   *
   * @param front what is reached instead of the node, given the node
   * @param host memory that other processes can map
   */
  static NodePart start(
      Env env,
      Store store,
      ServerOptions options,
      Door door,
      Dialer dialer,
      UnaryOperator<Endpoint> front,
      HostMemory host,
      Runnable onShutdown,
      Consumer<String> log)
      throws IOException {
    List<AutoCloseable> made = new ArrayList<>(store.below);
    String name = Dialer.nameOfNode(store.number);
    try {
      Node node = new Node(env, name, store.disk, NodeOptions.of(options.cacheBytes()), host);
      made.addFirst(node);
      String superuser = System.getProperty("user.name", "unknown");
      Guard guard = new Guard(env, name, front.apply(node), store.secret, superuser, onShutdown);
      dialer.add(name, guard.own());
      String address = door.address().toString();
      Registration registration = new Registration(env, dialer, store.number, address, guard, log);
      made.addFirst(registration);
      registration.start(() -> door.serve(name, guard));
      return new NodePart(store.number, registration, made);
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(made, e);
      throw e;
    }
  }

  /** Tells the coordinator that this node ends. Before the connections do. */
  void unregister() {
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
