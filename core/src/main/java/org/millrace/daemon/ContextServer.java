package org.millrace.daemon;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.millrace.cluster.Closing;
import org.millrace.cluster.Dialer;
import org.millrace.cluster.StoredCosts;
import org.millrace.coordinator.Coordinator;
import org.millrace.coordinator.CoordinatorOptions;
import org.millrace.coordinator.Lease;
import org.millrace.coordinator.LeasedEndpoint;
import org.millrace.coordinator.ReplicatedLog;
import org.millrace.disk.Disk;
import org.millrace.message.Acceptor;
import org.millrace.message.Endpoint;
import org.millrace.node.NodeOptions;
import org.millrace.plan.collective.Costs;

/**
 * A coordinator or a node as a process of its own, over a given disk and {@link ProcessContext}. It
 * serves requests as {@link Server} does.
 *
 * <p>Made and closed by one thread. Closing ends all connections and makes everything durable; the
 * disk stays its owner's. Idempotent.
 */
public final class ContextServer implements AutoCloseable {

  // constant after construction
  private final Acceptor acceptor;
  private final List<AutoCloseable> inOrder;

  private boolean closed; // owned by the thread that made it

  private ContextServer(Acceptor acceptor, List<AutoCloseable> inOrder) {
    this.acceptor = acceptor;
    this.inOrder = List.copyOf(inOrder);
  }

  /**
   * Starts the coordinator of a cluster of {@code nodes} nodes.
   *
   * @param front what is reached instead of the coordinator, given the coordinator
   */
  public static ContextServer coordinator(
      ProcessContext context, Disk disk, int nodes, UnaryOperator<Endpoint> front)
      throws IOException {
    List<AutoCloseable> made = new ArrayList<>();
    try {
      CoordinatorOptions coordinatorOptions =
          options(context, nodes, context.options().transport().graceNanos());
      // what is on the nodes' disks cannot be seen from here
      Coordinator coordinator =
          new Coordinator(
              context.env(), disk, coordinatorOptions, _ -> Coordinator.StrandPresence.UNKNOWN);
      made.addFirst(coordinator);
      ProcessNetwork network = context.network();
      made.addFirst(network);
      network
          .acceptor()
          .serve(
              Dialer.COORDINATOR,
              front.apply(coordinator),
              coordinator.returning(context.secret()));
      return new ContextServer(network.acceptor(), made);
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(made, e);
      throw e;
    }
  }

  private static CoordinatorOptions options(ProcessContext context, int nodes, long graceNanos) {
    return CoordinatorOptions.of(nodes, System.getProperty("user.name", "unknown"))
        .withStripeUnitBytes(context.options().stripeUnitBytes())
        .withSettings(StoredCosts.asSettings(Costs.DEFAULT.acrossProcesses()))
        .withSecret(context.secret())
        .withGraceNanos(graceNanos)
        .withCapabilityMillis(context.options().capabilityMillis());
  }

  /**
   * Starts one of several coordinators.
   *
   * @param replicated its membership of the group, which is closed with it
   * @param front as of {@link #coordinator}, for each of its lives
   * @param log told what happens, for people
   */
  public static ContextServer member(
      ProcessContext context,
      ReplicatedLog replicated,
      int nodes,
      UnaryOperator<Endpoint> front,
      Consumer<String> log)
      throws IOException {
    ProcessNetwork network = context.network();
    long grace =
        Math.min(ReplicatedCoordinator.GRACE_NANOS, context.options().transport().graceNanos());
    CoordinatorOptions given = options(context, nodes, grace);
    var loop =
        new OfficeLoop(
            context.env(),
            "member",
            replicated,
            new ContextHolder(context, network.acceptor(), given, front),
            log);
    return new ContextServer(network.acceptor(), List.of(loop, network));
  }

  /** Serves at an acceptor while it leads. */
  private record ContextHolder(
      ProcessContext context,
      Acceptor acceptor,
      CoordinatorOptions options,
      UnaryOperator<Endpoint> front)
      implements OfficeLoop.Holder {

    @Override
    public OfficeLoop.Held begin(ReplicatedLog.Office office) throws IOException {
      Coordinator coordinator =
          new Coordinator(
              context.env(), office.log(), options, _ -> Coordinator.StrandPresence.UNKNOWN);
      return new OfficeLoop.Held() {
        @Override
        public void serve(Lease lease) {
          acceptor.serve(
              Dialer.COORDINATOR,
              new LeasedEndpoint(front.apply(coordinator), lease),
              coordinator.returning(context.secret()));
        }

        @Override
        public void abandon() {
          coordinator.abandon();
        }
      };
    }

    @Override
    public void follow() {
      acceptor.withdraw(Dialer.COORDINATOR, "this coordinator does not lead");
    }

    @Override
    public void onLeft() {}
  }

  /**
   * Starts node {@code number}, whose coordinator must be there.
   *
   * @param tuning changes how the node works
   * @param front what is reached instead of the node, given the node
   * @param log told what happens, for people
   */
  public static ContextServer node(
      ProcessContext context,
      int number,
      Disk disk,
      UnaryOperator<NodeOptions> tuning,
      UnaryOperator<Endpoint> front,
      Consumer<String> log)
      throws IOException {
    List<AutoCloseable> made = new ArrayList<>();
    try {
      ProcessNetwork network = context.network();
      made.addFirst(network);
      var store = new NodePart.Store(number, disk, context.secret(), tuning, List.of());
      NodePart part =
          NodePart.start(
              context.env(),
              store,
              context.options(),
              network.acceptor(),
              network.dialer(),
              front,
              network.transport().host(),
              () -> {},
              log);
      made.add(part); // after the acceptor
      made.addFirst(part::unregister);
      return new ContextServer(network.acceptor(), made);
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(made, e);
      throw e;
    }
  }

  /** Where it listens. */
  public Acceptor acceptor() {
    return acceptor;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      Closing.closeAll(inOrder);
    }
  }
}
