package org.millrace;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Gatherings;
import org.millrace.client.Program;
import org.millrace.client.Session;
import org.millrace.disk.Disk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.TransportOptions;
import org.millrace.node.NodeOptions;
import org.millrace.plan.Costs;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.transfer.NodeLinks;
import org.millrace.transfer.Transfers;
import org.millrace.wire.Address;

/**
 * A Millrace as a program sees it: a coordinator and nodes, in this JVM over a directory of their
 * own or in other processes, and the ranks of the programs that {@link #run} starts here. What it
 * stores stays and can be opened again, by any number of ranks.
 *
 * <p>Safe for use by several threads; several programs may run at once. Closing a cluster in this
 * JVM makes everything durable and ends nodes and coordinator; closing one that is elsewhere ends
 * the connections to it. It is idempotent.
 */
public final class Cluster implements AutoCloseable {

  private static final long ADMINISTRATION_NANOS = 60_000_000_000L;

  // constant after construction
  private final Env env;
  private final ClusterOptions options;
  private final Backbone backbone;
  private final Transfers transfers;
  private final @Nullable Gatherings gatherings;

  private volatile boolean closed;

  private Cluster(Env env, ClusterOptions options, Backbone backbone) {
    this.env = env;
    this.options = options;
    this.backbone = backbone;
    this.transfers = new Transfers(options.hints(), backbone::costs);
    this.gatherings = backbone.fabric().isOnePlace() ? new Gatherings() : null;
  }

  /**
   * A cluster of at least {@code nodes} nodes in {@code directory}, which is made if there is none.
   * A cluster that is there and has fewer nodes gets more for the files it will make; one that has
   * more keeps them.
   */
  public static Cluster embedded(Path directory, int nodes) throws IOException {
    return embedded(directory, nodes, ClusterOptions.DEFAULT);
  }

  /** As {@link #embedded(Path, int)}, with options. */
  public static Cluster embedded(Path directory, int nodes, ClusterOptions options)
      throws IOException {
    if (nodes < 1) {
      throw new IllegalArgumentException(nodes + " nodes, must be at least 1");
    }
    return in(directory, nodes, options);
  }

  /** The cluster that is in {@code directory}, with as many nodes as it has. */
  public static Cluster open(Path directory, ClusterOptions options) throws IOException {
    return in(directory, ClusterDirectory.KEEP, options);
  }

  private static Cluster in(Path directory, int nodes, ClusterOptions options) throws IOException {
    Env env = Env.real();
    var parts = ClusterDirectory.openAll(env, directory, nodes, options.pageCache());
    List<Disk> disks = parts.stream().<Disk>map(ClusterDirectory.Part::disk).toList();
    Disk first = disks.getFirst();
    List<Disk> others = disks.subList(1, disks.size());
    Costs costs = StoredCosts.of(env, first, others.getFirst());
    var backbone =
        EmbeddedBackbone.over(
            Fabric.onePlace(env),
            first,
            others,
            options,
            NodeOptions.of(options.cacheBytesPerNode()),
            parts.reversed(),
            costs);
    return new Cluster(env, options, backbone);
  }

  /**
   * A cluster over given disks: one for the coordinator, one for each node. They stay the caller's
   * to close, after this cluster.
   */
  public static Cluster over(Env env, Disk coordinator, List<Disk> nodes, ClusterOptions options)
      throws IOException {
    return over(Fabric.onePlace(env), coordinator, nodes, options, Costs.DEFAULT);
  }

  /**
   * As {@link #over(Env, Disk, List, ClusterOptions)}, with parts that run where a fabric says and
   * given costs of transfers. For simulation.
   */
  public static Cluster over(
      Fabric fabric, Disk coordinator, List<Disk> nodes, ClusterOptions options, Costs costs)
      throws IOException {
    NodeOptions each = NodeOptions.of(options.cacheBytesPerNode());
    return over(fabric, coordinator, nodes, options, each, costs);
  }

  /**
   * As {@link #over(Fabric, Disk, List, ClusterOptions, Costs)}, with nodes that work in another
   * way; their options say how large caches are, not the cluster's.
   */
  public static Cluster over(
      Fabric fabric,
      Disk coordinator,
      List<Disk> nodes,
      ClusterOptions options,
      NodeOptions each,
      Costs costs)
      throws IOException {
    return new Cluster(
        fabric.rank(Fabric.NOBODY),
        options,
        EmbeddedBackbone.over(fabric, coordinator, nodes, options, each, List.of(), costs));
  }

  /**
   * The cluster whose processes run elsewhere.
   *
   * @param where the coordinator's address, as {@link Address#parse} takes it; or the cluster's
   *     directory, in which the address is found
   */
  public static Cluster connect(String where, ClusterOptions options) throws IOException {
    return connect(Whereabouts.parse(where), options, TransportOptions.DEFAULT);
  }

  /** As {@link #connect(String, ClusterOptions)}. */
  public static Cluster connect(Address address, ClusterOptions options) throws IOException {
    return connect(new Whereabouts.At(address), options, TransportOptions.DEFAULT);
  }

  /**
   * As {@link #connect(String, ClusterOptions)}, with other ways of talking: patience and
   * certificates, for instance.
   */
  public static Cluster connect(
      Whereabouts where, ClusterOptions options, TransportOptions transport) throws IOException {
    Env env = Env.real();
    return new Cluster(env, options, RemoteBackbone.connect(env, where, transport));
  }

  /** What transfers cost here, as the choice of strategies sees it. */
  public Costs costs() {
    return transfers.costs().get();
  }

  /** How many nodes it has. */
  public int nodes() {
    return backbone.nodes();
  }

  /**
   * Runs {@code program} as {@code ranks} ranks, each on a virtual thread, and waits for all. If
   * one throws, the others get errors where they need it; then this throws what the first failing
   * rank threw, with the others' suppressed.
   */
  public void run(int ranks, Program program) throws IOException {
    checkOpen();
    if (ranks < 1) {
      throw new IllegalArgumentException(ranks + " ranks, must be at least 1");
    }
    try {
      new ParallelRun(backbone.fabric(), ranks, program, this::session).run();
    } catch (IOException | RuntimeException | Error e) {
      try {
        tidy();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
    tidy();
  }

  private void tidy() throws IOException {
    if (!closed) {
      backbone.tidy();
    }
  }

  /** A session of a participant of a run. */
  private Session session(int participant, IntFunction<Link> participants) throws IOException {
    Link coordinator = backbone.coordinator(participant);
    NodeLinks links;
    try {
      links = backbone.nodeLinks(participant);
    } catch (IOException | RuntimeException e) {
      coordinator.close();
      throw e;
    }
    return new Session(
        backbone.fabric().rank(participant),
        options.limits(),
        transfers,
        participant,
        coordinator,
        links,
        participants,
        backbone.staging(),
        gatherings,
        null);
  }

  /** Changes how much memory each node may use for its cache, while everything runs. */
  public void setCacheBytesPerNode(long bytes) throws IOException {
    askNodes(new NodeRequest.SetCacheBytes(bytes));
  }

  /** What each node's cache and disk have done, by name of the counter. */
  public List<Map<String, Long>> report() throws IOException {
    return askNodes(new NodeRequest.AskReport()).stream()
        .map(reply -> ((NodeReply.Report) reply).counters())
        .toList();
  }

  private List<Message> askNodes(NodeRequest request) throws IOException {
    checkOpen();
    List<Message> replies = new ArrayList<>();
    try (NodeLinks links = backbone.nodeLinks()) {
      for (int i = 0; i < nodes(); i++) {
        replies.add(ask(links.link(i), request));
      }
    }
    return replies;
  }

  /** What administrators ask of this cluster. */
  public Administration administration() throws IOException {
    checkOpen();
    return new Administration(env, backbone);
  }

  /** Who waits for whom, in which call, since when. */
  public List<CoordinatorReply.Wait> waits() throws IOException {
    return ((CoordinatorReply.Waits) ask(new CoordinatorRequest.AskWaits())).waits();
  }

  /** What the coordinator knows of its nodes, by number. */
  public List<NodeFact> nodeFacts() throws IOException {
    return ((CoordinatorReply.Facts) ask(new CoordinatorRequest.AskCluster())).nodes();
  }

  /** Asks the coordinator something, in a session of its own. For administration. */
  public CoordinatorReply ask(CoordinatorRequest request) throws IOException {
    checkOpen();
    try (Link link = backbone.coordinator()) {
      return (CoordinatorReply) ask(link, request);
    }
  }

  /** Asks a node something, in a session of its own. For administration. */
  public NodeReply ask(int node, NodeRequest request) throws IOException {
    checkOpen();
    try (NodeLinks links = backbone.nodeLinks()) {
      return (NodeReply) ask(links.link(node), request);
    }
  }

  private Message ask(Link link, Message request) throws IOException {
    return link.call(request, MemorySegment.NULL, env.deadlineAfter(ADMINISTRATION_NANOS));
  }

  private void checkOpen() throws MillraceException {
    if (closed) {
      throw new MillraceException(ErrorCode.CLOSED, "the cluster is closed");
    }
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      backbone.close();
    }
  }
}
