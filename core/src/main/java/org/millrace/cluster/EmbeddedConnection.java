package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.millrace.client.ClusterOptions;
import org.millrace.coordinator.Coordinator;
import org.millrace.coordinator.CoordinatorOptions;
import org.millrace.coordinator.Starts;
import org.millrace.disk.Disk;
import org.millrace.layout.FileEntry;
import org.millrace.message.Link;
import org.millrace.message.Peer;
import org.millrace.node.Node;
import org.millrace.node.NodeOptions;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;
import org.millrace.transfer.NodeLinks;

/**
 * A coordinator and nodes in this JVM; the topology provides the links between them.
 *
 * <p>Safe for use by several threads. Closing makes everything durable and ends nodes and
 * coordinator; it is idempotent.
 */
public final class EmbeddedConnection implements ClusterConnection {

  /** Not a user's name anywhere: the cluster itself, when it cleans up. */
  private static final String SUPERUSER = "(millrace)";

  private static final long ADMINISTRATION_NANOS = 60_000_000_000L;

  // constant after construction
  private final ClusterTopology topology;
  private final Coordinator coordinator;
  private final List<Node> nodes;
  private final List<AutoCloseable> below;
  private final Costs costs;
  private final AtomicLong sessions = new AtomicLong();
  private final String user = System.getProperty("user.name", "unknown");
  private final AtomicBoolean closed = new AtomicBoolean();

  private EmbeddedConnection(
      ClusterTopology topology,
      Coordinator coordinator,
      List<Node> nodes,
      List<? extends AutoCloseable> below,
      Costs costs) {
    this.topology = topology;
    this.coordinator = coordinator;
    this.nodes = List.copyOf(nodes);
    this.below = List.copyOf(below);
    this.costs = costs;
  }

  /** Over given disks; {@code below} is closed with it. */
  public static EmbeddedConnection over(
      ClusterTopology topology,
      Disk coordinatorDisk,
      List<? extends Disk> disks,
      ClusterOptions options,
      NodeOptions nodeOptions,
      List<? extends AutoCloseable> below,
      Costs costs)
      throws IOException {
    JvmCheck.check();
    List<AutoCloseable> made = new ArrayList<>(below);
    try {
      var coordinatorOptions =
          CoordinatorOptions.of(disks.size(), SUPERUSER)
              .withStripeUnitBytes(options.stripeUnitBytes());
      StoredStrands strands = new StoredStrands(List.copyOf(disks));
      Coordinator coordinator =
          new Coordinator(
              topology.coordinator(), coordinatorDisk, coordinatorOptions, strands::look);
      made.addFirst(coordinator);
      strands.removeOrphans(coordinator, coordinatorDisk.name());
      coordinator.takeDropped(); // just removed
      List<Node> nodes = new ArrayList<>();
      for (int i = 0; i < disks.size(); i++) {
        Node node = new Node(topology.node(i), "node " + i, disks.get(i), nodeOptions);
        nodes.add(node);
        made.addFirst(node);
        Starts starts = coordinator.starts(i);
        coordinator.remember(i, node.begin(starts.epoch(), starts.runs()));
      }
      var connection = new EmbeddedConnection(topology, coordinator, nodes, below, costs);
      connection.introduceNodes();
      connection.awaitDurable();
      return connection;
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(made, e);
      throw e;
    }
  }

  @Override
  public int nodes() {
    return nodes.size();
  }

  @Override
  public Costs costs() {
    return costs;
  }

  @Override
  public ClusterTopology topology() {
    return topology;
  }

  @Override
  public Link coordinator(int rank) {
    return topology.link(topology.rank(rank), topology.coordinator(), peer(), coordinator);
  }

  @Override
  public NodeLinks nodeLinks(int rank) {
    Peer peer = peer();
    return new EmbeddedNodeLinks(
        nodes.size(),
        i -> topology.link(topology.rank(rank), topology.node(i), peer, nodes.get(i)),
        () -> coordinator(rank));
  }

  private Peer peer() {
    return new Peer(sessions.incrementAndGet(), user);
  }

  /** What nodes may still keep of files whose names are gone. */
  @Override
  public void tidy() throws IOException {
    if (closed.get()) {
      return; // opening it again removes them
    }
    awaitDurable();
    List<FileEntry> dropped = coordinator.takeDropped();
    if (dropped.isEmpty()) {
      return;
    }
    try (NodeLinks links = nodeLinks()) {
      for (FileEntry file : dropped) {
        List<Integer> places = file.layout().orElseThrow().nodes();
        for (int s = 0; s < places.size(); s++) {
          var request = new NodeRequest.Remove(new StrandId(file.id(), s));
          long deadline = topology.coordinator().deadlineAfter(ADMINISTRATION_NANOS);
          links.link(places.get(s)).call(request, MemorySegment.NULL, deadline);
        }
      }
    }
  }

  /** Lets the nodes reach each other and the coordinator, for copies of strands. */
  private void introduceNodes() {
    for (int i = 0; i < nodes.size(); i++) {
      int number = i;
      Peer peer = new Peer(sessions.incrementAndGet(), SUPERUSER);
      IntFunction<Link> others =
          other ->
              topology.link(topology.node(number), topology.node(other), peer, nodes.get(other));
      Supplier<Link> asking =
          () -> topology.link(topology.node(number), topology.coordinator(), peer, coordinator);
      NodeLinks links = new EmbeddedNodeLinks(nodes.size(), others, asking);
      Link toCoordinator = asking.get();
      nodes.get(i).serveCopies(i, new NodePeers(topology.node(number), links, toCoordinator));
    }
  }

  /** Returns after all changes so far are durable: no answer comes before. */
  private void awaitDurable() throws IOException {
    try (Link link = coordinator()) {
      long deadline = topology.coordinator().deadlineAfter(ADMINISTRATION_NANOS);
      link.call(new CoordinatorRequest.Stat(""), MemorySegment.NULL, deadline);
    }
  }

  @Override
  public void close() throws IOException {
    if (closed.compareAndSet(false, true)) {
      List<AutoCloseable> all = new ArrayList<>(nodes);
      all.add(coordinator);
      all.addAll(below);
      Closing.closeAll(all);
    }
  }
}
