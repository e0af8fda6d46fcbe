package org.millrace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.millrace.coordinator.Coordinator;
import org.millrace.coordinator.CoordinatorOptions;
import org.millrace.disk.Disk;
import org.millrace.message.Door;
import org.millrace.message.Endpoint;
import org.millrace.plan.Costs;

/**
 * A coordinator or a node as a process of its own, over a given disk and a given {@link Ground}: it
 * serves as those of {@link Server} do.
 *
 * <p>Made and closed by one thread. Closing ends all connections and makes everything durable; the
 * disk stays its owner's. Idempotent.
 */
public final class GroundServer implements AutoCloseable {

  // constant after construction
  private final Door door;
  private final List<AutoCloseable> inOrder;

  private boolean closed; // owned by the thread that made it

  private GroundServer(Door door, List<AutoCloseable> inOrder) {
    this.door = door;
    this.inOrder = List.copyOf(inOrder);
  }

  /**
   * Starts the coordinator of a cluster of {@code nodes} nodes.
   *
   * @param front what is reached instead of the coordinator, given the coordinator
   */
  public static GroundServer coordinator(
      Ground ground, Disk disk, int nodes, UnaryOperator<Endpoint> front) throws IOException {
    List<AutoCloseable> made = new ArrayList<>();
    try {
      var how =
          CoordinatorOptions.of(nodes, System.getProperty("user.name", "unknown"))
              .withStripeUnitBytes(ground.options().stripeUnitBytes())
              .withSettings(StoredCosts.asSettings(Costs.DEFAULT.acrossProcesses()))
              .withSecret(ground.secret())
              .withCapabilityMillis(ground.options().capabilityMillis());
      // what is on the nodes' disks cannot be seen from here
      Coordinator coordinator =
          new Coordinator(ground.env(), disk, how, _ -> Coordinator.Sighting.UNKNOWN);
      made.addFirst(coordinator);
      Site site = ground.site();
      made.addFirst(site);
      site.door().serve(Dialer.COORDINATOR, front.apply(coordinator));
      return new GroundServer(site.door(), made);
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(made, e);
      throw e;
    }
  }

  /**
   * Starts node {@code number}, whose coordinator must be there.
   *
   * @param front what is reached instead of the node, given the node
   * @param log told what happens, for people
   */
  public static GroundServer node(
      Ground ground, int number, Disk disk, UnaryOperator<Endpoint> front, Consumer<String> log)
      throws IOException {
    List<AutoCloseable> made = new ArrayList<>();
    try {
      Site site = ground.site();
      made.addFirst(site);
      var store = new NodePart.Store(number, disk, ground.secret(), List.of());
      NodePart part =
          NodePart.start(
              ground.env(),
              store,
              ground.options(),
              site.door(),
              site.dialer(),
              front,
              site.transport().host(),
              () -> {},
              log);
      made.add(part); // after the door
      made.addFirst(part::unregister);
      return new GroundServer(site.door(), made);
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(made, e);
      throw e;
    }
  }

  /** Where it listens. */
  public Door door() {
    return door;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      Closing.closeAll(inOrder);
    }
  }
}
