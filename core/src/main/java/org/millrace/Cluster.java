package org.millrace;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Program;
import org.millrace.client.Session;
import org.millrace.client.Transfers;
import org.millrace.coordinator.Coordinator;
import org.millrace.coordinator.CoordinatorOptions;
import org.millrace.disk.Disk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.node.Node;
import org.millrace.node.NodeOptions;
import org.millrace.plan.Costs;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.FileEntry;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * A whole Millrace in this JVM: a coordinator and nodes, each over a directory of its own, and the
 * ranks of the programs that {@link #run} starts. What it stores stays and can be opened again, by
 * any number of ranks.
 *
 * <p>Safe for use by several threads; several programs may run at once. Closing makes everything
 * durable and ends nodes and coordinator; it is idempotent.
 */
public final class Cluster implements AutoCloseable {

  /** Not a user's name anywhere: the cluster itself, when it cleans up. */
  private static final String SUPERUSER = "(millrace)";

  private static final long ADMINISTRATION_NANOS = 60_000_000_000L;

  // constant after construction
  private final Env env;
  private final ClusterOptions options;
  private final Coordinator coordinator;
  private final List<Node> nodes;
  private final List<AutoCloseable> below;
  private final AtomicLong sessions = new AtomicLong();
  private final Transfers transfers;
  private final String user = System.getProperty("user.name", "unknown");

  private volatile boolean closed;

  private Cluster(
      Env env,
      ClusterOptions options,
      Coordinator coordinator,
      List<Node> nodes,
      List<AutoCloseable> below,
      Costs costs) {
    this.env = env;
    this.options = options;
    this.coordinator = coordinator;
    this.nodes = nodes;
    this.below = below;
    this.transfers = new Transfers(options.hints(), () -> costs);
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
    return in(ClusterDirectory.open(Env.real(), directory, nodes, options.pageCache()), options);
  }

  private static Cluster in(ClusterDirectory place, ClusterOptions options) throws IOException {
    Costs costs = StoredCosts.of(Env.real(), place.coordinator(), place.nodes().getFirst());
    return over(Env.real(), place.coordinator(), place.nodes(), options, List.of(place), costs);
  }

  /** The cluster that is in {@code directory}, with as many nodes as it has. */
  public static Cluster open(Path directory, ClusterOptions options) throws IOException {
    return in(
        ClusterDirectory.open(Env.real(), directory, ClusterDirectory.KEEP, options.pageCache()),
        options);
  }

  /**
   * A cluster over given disks: one for the coordinator, one for each node. They stay the caller's
   * to close, after this cluster.
   */
  public static Cluster over(Env env, Disk coordinator, List<Disk> nodes, ClusterOptions options)
      throws IOException {
    return over(env, coordinator, nodes, options, List.of(), Costs.DEFAULT);
  }

  private static Cluster over(
      Env env,
      Disk coordinatorDisk,
      List<Disk> disks,
      ClusterOptions options,
      List<AutoCloseable> below,
      Costs costs)
      throws IOException {
    JvmCheck.check();
    List<AutoCloseable> made = new ArrayList<>(below);
    try {
      var how =
          CoordinatorOptions.of(disks.size(), SUPERUSER)
              .withStripeUnitBytes(options.stripeUnitBytes());
      StoredStrands strands = new StoredStrands(disks);
      Coordinator coordinator = new Coordinator(env, coordinatorDisk, how, strands::areAllThere);
      made.addFirst(coordinator);
      strands.removeOrphans(coordinator, coordinatorDisk.name());
      coordinator.takeDropped(); // just removed
      List<Node> nodes = new ArrayList<>();
      for (int i = 0; i < disks.size(); i++) {
        NodeOptions its = NodeOptions.of(options.cacheBytesPerNode());
        Node node = new Node(env, "node " + i, disks.get(i), its);
        nodes.add(node);
        made.addFirst(node);
      }
      return new Cluster(env, options, coordinator, List.copyOf(nodes), List.copyOf(below), costs);
    } catch (IOException | RuntimeException e) {
      closeAll(made, e);
      throw e;
    }
  }

  private static Message ask(Env env, Link link, Message request) throws IOException {
    return link.call(request, MemorySegment.NULL, env.deadlineAfter(ADMINISTRATION_NANOS));
  }

  /** What transfers cost here, as the choice of strategies sees it. */
  public Costs costs() {
    return transfers.costs().get();
  }

  /** How many nodes it has. */
  public int nodes() {
    return nodes.size();
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
      new ParallelRun(env, ranks, program, this::session).run();
    } catch (IOException | RuntimeException | Error e) {
      try {
        removeDropped();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
    removeDropped();
  }

  /** What nodes may still keep of files whose names are gone. */
  private void removeDropped() throws IOException {
    if (closed) {
      return; // opening it again removes them
    }
    askCoordinator(new CoordinatorRequest.Stat("")); // answered after what went before is durable
    for (FileEntry file : coordinator.takeDropped()) {
      List<Integer> places = file.layout().orElseThrow().nodes();
      for (int s = 0; s < places.size(); s++) {
        askNode(nodes.get(places.get(s)), new NodeRequest.Remove(new StrandId(file.id(), s)));
      }
    }
  }

  /** A session of a participant of a run. */
  private Session session(int participant, IntFunction<Link> participants) {
    Peer peer = new Peer(sessions.incrementAndGet(), user);
    List<Link> links = new ArrayList<>();
    for (Node node : nodes) {
      links.add(Links.local(env, peer, node));
    }
    Link toCoordinator = Links.local(env, peer, coordinator);
    return new Session(
        env, options.limits(), transfers, participant, toCoordinator, links, participants);
  }

  /** Changes how much memory each node may use for its cache, while everything runs. */
  public void setCacheBytesPerNode(long bytes) throws IOException {
    for (Node node : nodes) {
      askNode(node, new NodeRequest.SetCacheBytes(bytes));
    }
  }

  /** What each node's cache and disk have done, by name of the counter. */
  public List<Map<String, Long>> report() throws IOException {
    List<Map<String, Long>> reports = new ArrayList<>();
    for (Node node : nodes) {
      reports.add(((NodeReply.Report) askNode(node, new NodeRequest.AskReport())).counters());
    }
    return reports;
  }

  private Message askNode(Node node, NodeRequest request) throws IOException {
    checkOpen();
    Link link = Links.local(env, new Peer(0, user), node);
    try {
      return ask(env, link, request);
    } finally {
      link.close();
    }
  }

  /** Who waits for whom, in which call, since when. */
  public List<CoordinatorReply.Wait> waits() throws IOException {
    return ((CoordinatorReply.Waits) askCoordinator(new CoordinatorRequest.AskWaits())).waits();
  }

  private Message askCoordinator(CoordinatorRequest request) throws IOException {
    checkOpen();
    Link link = Links.local(env, new Peer(0, user), coordinator);
    try {
      return ask(env, link, request);
    } finally {
      link.close();
    }
  }

  private void checkOpen() throws MillraceException {
    if (closed) {
      throw new MillraceException(ErrorCode.CLOSED, "the cluster is closed");
    }
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    List<AutoCloseable> all = new ArrayList<>(nodes);
    all.add(coordinator);
    all.addAll(below);
    Exception failure = closeAll(all, null);
    if (failure instanceof IOException e) {
      throw e;
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
  }

  private static @Nullable Exception closeAll(
      List<AutoCloseable> all, @Nullable Exception failure) {
    Exception first = failure;
    for (AutoCloseable one : all) {
      try {
        one.close();
      } catch (Exception e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    return first;
  }
}
