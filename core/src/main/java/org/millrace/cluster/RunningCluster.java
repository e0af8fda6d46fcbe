package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Program;
import org.millrace.client.assembly.Participant;
import org.millrace.client.assembly.Participants;
import org.millrace.disk.Disk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileTree;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.TransportOptions;
import org.millrace.node.NodeOptions;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.transfer.NodeLinks;
import org.millrace.transfer.TransferSettings;
import org.millrace.wire.Address;

/**
 * The implementation of a program's {@code Cluster}: a coordinator and nodes, in this JVM over
 * their own directory or given disks, or in other processes, and the ranks of the programs that
 * {@link #run} starts here. It also serves administrators.
 *
 * <p>Safe for use by several threads; several programs may run at once. Closing a cluster in this
 * JVM makes everything durable and ends nodes and coordinator; closing one that is elsewhere ends
 * the connections to it. It is idempotent.
 */
public final class RunningCluster implements AutoCloseable {

  private static final long ADMINISTRATION_NANOS = 60_000_000_000L;

  // constant after construction
  private final Env env;
  private final ClusterOptions options;
  private final ClusterConnection connection;
  private final TransferSettings transfers;
  private final Participants participants;

  private volatile boolean closed;

  private RunningCluster(Env env, ClusterOptions options, ClusterConnection connection) {
    this.env = env;
    this.options = options;
    this.connection = connection;
    this.transfers = new TransferSettings(options.hints(), connection::costs);
    this.participants =
        connection.topology().isOnePlace() ? Participants.inOneJvm() : Participants.inProcesses();
  }

  /**
   * A cluster of at least {@code nodes} nodes in {@code directory}, which is made if there is none.
   * A cluster that is there and has fewer nodes gets more for the files it will make; one that has
   * more keeps them.
   */
  public static RunningCluster embedded(Path directory, int nodes) throws IOException {
    return embedded(directory, nodes, ClusterOptions.DEFAULT);
  }

  /** As {@link #embedded(Path, int)}, with options. */
  public static RunningCluster embedded(Path directory, int nodes, ClusterOptions options)
      throws IOException {
    if (nodes < 1) {
      throw new IllegalArgumentException(nodes + " nodes, must be at least 1");
    }
    return in(directory, nodes, options, NodeOptions.of(options.cacheBytesPerNode()));
  }

  /** The cluster that is in {@code directory}, with as many nodes as it has. */
  public static RunningCluster open(Path directory, ClusterOptions options) throws IOException {
    return open(directory, options, NodeOptions.of(options.cacheBytesPerNode()));
  }

  /** As {@link #open(Path, ClusterOptions)}, with nodes that work in another way. */
  public static RunningCluster open(Path directory, ClusterOptions options, NodeOptions each)
      throws IOException {
    return in(directory, ClusterDirectory.KEEP, options, each);
  }

  private static RunningCluster in(
      Path directory, int nodes, ClusterOptions options, NodeOptions each) throws IOException {
    Env env = Env.real();
    var parts = ClusterDirectory.openAll(env, directory, nodes, options.pageCache());
    List<Disk> disks = parts.stream().<Disk>map(ClusterDirectory.Part::disk).toList();
    Disk first = disks.getFirst();
    List<Disk> others = disks.subList(1, disks.size());
    Costs costs = StoredCosts.of(env, first, others.getFirst());
    var connection =
        EmbeddedConnection.over(
            ClusterTopology.onePlace(env), first, others, options, each, parts.reversed(), costs);
    return new RunningCluster(env, options, connection);
  }

  /**
   * A cluster over given disks: one for the coordinator, one for each node. They stay the caller's
   * to close, after this cluster.
   */
  public static RunningCluster over(
      Env env, Disk coordinator, List<Disk> nodes, ClusterOptions options) throws IOException {
    return over(ClusterTopology.onePlace(env), coordinator, nodes, options, Costs.DEFAULT);
  }

  /**
   * As {@link #over(Env, Disk, List, ClusterOptions)}, with parts placed by a topology and given
   * costs of transfers. For simulation.
   */
  public static RunningCluster over(
      ClusterTopology topology,
      Disk coordinator,
      List<Disk> nodes,
      ClusterOptions options,
      Costs costs)
      throws IOException {
    NodeOptions each = NodeOptions.of(options.cacheBytesPerNode());
    return over(topology, coordinator, nodes, options, each, costs);
  }

  /**
   * As {@link #over(ClusterTopology, Disk, List, ClusterOptions, Costs)}, with nodes that work in
   * another way; their options say how large caches are, not the cluster's.
   */
  public static RunningCluster over(
      ClusterTopology topology,
      Disk coordinator,
      List<Disk> nodes,
      ClusterOptions options,
      NodeOptions each,
      Costs costs)
      throws IOException {
    return new RunningCluster(
        topology.rank(ClusterTopology.NOBODY),
        options,
        EmbeddedConnection.over(topology, coordinator, nodes, options, each, List.of(), costs));
  }

  /**
   * The cluster whose processes run elsewhere.
   *
   * @param location the coordinator's address, as {@link Address#parse} takes it; or the cluster's
   *     directory, in which the address is found
   */
  public static RunningCluster connect(String location, ClusterOptions options) throws IOException {
    return connect(ClusterLocation.parse(location), options, TransportOptions.DEFAULT);
  }

  /** As {@link #connect(String, ClusterOptions)}. */
  public static RunningCluster connect(Address address, ClusterOptions options) throws IOException {
    return connect(new ClusterLocation.At(address), options, TransportOptions.DEFAULT);
  }

  /**
   * As {@link #connect(String, ClusterOptions)}, with other transport options: timeouts and
   * certificates, for instance.
   */
  public static RunningCluster connect(
      ClusterLocation location, ClusterOptions options, TransportOptions transport)
      throws IOException {
    Env env = Env.real();
    return new RunningCluster(env, options, RemoteConnection.connect(env, location, transport));
  }

  /** What transfers cost here, as the choice of strategies sees it. */
  public Costs costs() {
    return transfers.costs().get();
  }

  /** How many nodes it has. */
  public int nodes() {
    return connection.nodes();
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
      new ParallelRun(connection.topology(), ranks, program, this::participant).run();
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
      connection.tidy();
    }
  }

  /** A participant of a run. */
  private Participant participant(int number, IntFunction<Link> others) throws IOException {
    return participant(number, number, others);
  }

  /** As {@link #participant(int, IntFunction)}, for a place that need not be its number. */
  private Participant participant(int place, int number, IntFunction<Link> others)
      throws IOException {
    Link coordinator = connection.coordinator(place);
    NodeLinks nodes;
    try {
      nodes = connection.nodeLinks(place);
    } catch (IOException | RuntimeException e) {
      coordinator.close();
      throw e;
    }
    return participants.make(
        connection.topology().rank(place),
        options.limits(),
        transfers,
        number,
        new Participants.Links(coordinator, nodes, others, connection.sharedBuffers(), null));
  }

  /**
   * The files of the cluster for a program that is no rank: a session of its own, which forms no
   * group. Closing it gives back what it has open or locked.
   */
  public FileTree files() throws IOException {
    checkOpen();
    Participant session =
        participant(
            ClusterTopology.NOBODY,
            0,
            other -> {
              throw new IllegalStateException("participant " + other + " of a session without any");
            });
    return session.files(this::tidy);
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
    try (NodeLinks links = connection.nodeLinks()) {
      for (int i = 0; i < nodes(); i++) {
        replies.add(ask(links.link(i), request));
      }
    }
    return replies;
  }

  /** Administrative requests to this cluster. */
  public Administration administration() throws IOException {
    checkOpen();
    return new Administration(env, connection);
  }

  /** Which ranks wait for which, in which call, since when. */
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
    try (Link link = connection.coordinator()) {
      return (CoordinatorReply) ask(link, request);
    }
  }

  /** Asks a node something, in a session of its own. For administration. */
  public NodeReply ask(int node, NodeRequest request) throws IOException {
    checkOpen();
    try (NodeLinks links = connection.nodeLinks()) {
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
      connection.close();
    }
  }
}
