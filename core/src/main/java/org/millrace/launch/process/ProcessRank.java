package org.millrace.launch.process;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.client.assembly.Participant;
import org.millrace.client.assembly.Participants;
import org.millrace.cluster.Closing;
import org.millrace.cluster.ClusterDirectory;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.Dialer;
import org.millrace.cluster.JvmCheck;
import org.millrace.cluster.Pause;
import org.millrace.cluster.RemoteNodeLinks;
import org.millrace.cluster.StoredCosts;
import org.millrace.cluster.Warnings;
import org.millrace.daemon.ProcessContext;
import org.millrace.daemon.ProcessNetwork;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.launch.Launch;
import org.millrace.launch.PeerMeeting;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.CoordinatorReply.Assembled;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.protocol.CoordinatorReply.Members;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeFact;
import org.millrace.transfer.TransferSettings;

/**
 * This process as one rank of a parallel program whose ranks are processes. The cluster is that of
 * daemons ({@link #join}), or the ranks' processes are the cluster, too ({@link #asPeer}): then
 * each of them holds nodes, and that of rank 0 the coordinator.
 *
 * <p>{@link #run} and closing belong to the thread that made it. Closing leaves the group; in a
 * cluster of peers it then waits until all ranks have left, because they may need this process's
 * nodes, and makes these durable. It is idempotent.
 */
public final class ProcessRank implements AutoCloseable {

  private static final long POLL_NANOS = 50_000_000L;
  private static final long ASK_NANOS = 10_000_000_000L;

  // constant after construction
  private final Env env;
  private final Launch launch;
  private final Peers peers;
  private final Participant session;
  private final Rank rank;
  private final long group;

  // owned by the thread that made it
  private String failure = "it ended without running the program";
  private boolean closed;

  private ProcessRank(
      Env env, Launch launch, Peers peers, Participant session, Assembled assembled) {
    this.env = env;
    this.launch = launch;
    this.peers = peers;
    this.session = session;
    this.group = assembled.group();
    List<Integer> all = IntStream.range(0, launch.size()).boxed().toList();
    this.rank = session.member(group, launch.rank(), all);
  }

  /**
   * Takes part in a job at the cluster of daemons that is at {@code location}. Returns when all
   * ranks have arrived.
   *
   * @throws MillraceException RANK_FAILED if some have not arrived in time, naming them
   */
  public static ProcessRank join(
      Launch launch, ClusterLocation location, ProcessRankOptions options) throws IOException {
    JvmCheck.check();
    return assemble(
        launch, Peers.none(launch, location, options), options, UnaryOperator.identity());
  }

  /** As {@link #join(Launch, ClusterLocation, ProcessRankOptions)}, in a given process context. */
  public static ProcessRank join(Launch launch, ProcessContext context, ProcessRankOptions options)
      throws IOException {
    return assemble(launch, Peers.none(context), options, UnaryOperator.identity());
  }

  /**
   * Takes part in a job whose processes are the cluster in {@code directory}. Returns when all
   * ranks have arrived.
   *
   * @param nodes how many nodes the cluster has at least
   * @throws MillraceException RANK_FAILED if some have not arrived in time, naming them
   */
  public static ProcessRank asPeer(
      Launch launch, Path directory, int nodes, ProcessRankOptions options) throws IOException {
    return asPeer(launch, directory, nodes, options, UnaryOperator.identity());
  }

  /**
   * As above, with the nodes that the cluster has; a new one gets a node for each rank.
   *
   * @throws MillraceException RANK_FAILED if some have not come in time, naming them
   */
  public static ProcessRank asPeer(Launch launch, Path directory, ProcessRankOptions options)
      throws IOException {
    int nodes = ClusterDirectory.isThere(directory) ? ClusterDirectory.KEEP : launch.size();
    return asPeer(launch, directory, nodes, options);
  }

  /**
   * As above for processes that share no directory.
   *
   * @param directory of this process alone: its nodes are there, and the coordinator if this is
   *     rank 0
   * @throws MillraceException RANK_FAILED if some have not come in time, naming them
   */
  public static ProcessRank asPeer(
      Launch launch, Path directory, int nodes, PeerMeeting meeting, ProcessRankOptions options)
      throws IOException {
    JvmCheck.check();
    Peers peers = Peers.start(launch, directory, nodes, meeting, options);
    return assemble(launch, peers, options, UnaryOperator.identity());
  }

  /** As above; tests listen in on what the rank and the coordinator tell each other. */
  static ProcessRank asPeer(
      Launch launch,
      Path directory,
      int nodes,
      ProcessRankOptions options,
      UnaryOperator<Link> toCoordinator)
      throws IOException {
    JvmCheck.check();
    Peers peers = Peers.start(launch, directory, nodes, options);
    return assemble(launch, peers, options, toCoordinator);
  }

  /**
   * Takes part as the environment says: the launcher's variables, and in {@link Launch#ADDRESS}
   * where the cluster is: the address of daemons, or a directory. If daemons run in the directory
   * they are used, else the ranks are the cluster.
   */
  public static ProcessRank join(ProcessRankOptions options) throws IOException {
    Launch launch =
        Launch.recognize()
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.INVALID,
                        "this process was not launched as a rank; start it with millrace run --procs,"
                            + " mpirun or srun, or use Millrace.run, which also runs alone"));
    String location = System.getenv().getOrDefault(Launch.ADDRESS, "");
    if (location.isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID,
          Launch.ADDRESS + " does not say where the cluster is: an address, or a directory");
    }
    return switch (ClusterLocation.parse(location)) {
      case ClusterLocation.At at -> join(launch, at, options);
      case ClusterLocation.AnyOf any -> join(launch, any, options);
      case ClusterLocation.In in when in.hasDaemons() -> join(launch, in, options);
      case ClusterLocation.In(Path directory) -> asPeer(launch, directory, options);
    };
  }

  private static ProcessRank assemble(
      Launch launch, Peers peers, ProcessRankOptions options, UnaryOperator<Link> toCoordinator)
      throws IOException {
    Env env = peers.env();
    Link coordinator = null;
    try {
      ProcessNetwork network = peers.network();
      coordinator = network.dialer().coordinator();
      Facts facts = network.dialer().facts(coordinator);
      Costs costs = StoredCosts.in(facts.settings());
      var others =
          new ParticipantLinks(
              env, network.dialer()::participant, launch.rank(), options.assembleNanos());
      ClusterOptions clusterOptions = options.cluster();
      Participant session =
          Participants.inProcesses()
              .make(
                  env,
                  clusterOptions.limits(),
                  new TransferSettings(clusterOptions.hints(), () -> costs),
                  launch.rank(),
                  new Participants.Links(
                      toCoordinator.apply(coordinator),
                      new RemoteNodeLinks(network.dialer(), coordinator, facts),
                      others,
                      network.transport().sharedBuffers(),
                      peers.boards()));
      String name = Dialer.nameOfParticipant(launch.rank());
      String user = InboxGuard.userAt(network.acceptor().address(), facts);
      network.acceptor().serve(name, new InboxGuard(user, session.inbox()));
      network.dialer().add(name, session.inbox());
      Assembled all = meet(env, launch, coordinator, network, options.assembleNanos());
      others.assembled(all.inboxes());
      return new ProcessRank(env, launch, peers, session, all);
    } catch (IOException | RuntimeException e) {
      if (coordinator != null) {
        coordinator.close();
      }
      List<AutoCloseable> steps = new ArrayList<>(List.of(peers));
      if (e instanceof RankFailedException) { // the other ranks that arrived get this answer, too
        steps.addFirst(() -> peers.awaitNoSessions(env.deadlineAfter(ASK_NANOS)));
      }
      Closing.closeAfter(steps, e);
      throw e;
    }
  }

  private static Assembled meet(
      Env env, Launch launch, Link coordinator, ProcessNetwork network, long waitNanos)
      throws IOException {
    var request =
        new CoordinatorRequest.Assemble(
            launch.job(),
            launch.rank(),
            launch.size(),
            network.acceptor().address().toString(),
            waitNanos);
    // the coordinator's error names the missing ranks, so it must come before this side's timeout
    long deadline = env.deadlineAfter(waitNanos + ASK_NANOS);
    return (Assembled) coordinator.call(request, MemorySegment.NULL, deadline);
  }

  /** This rank. */
  public Rank rank() {
    return rank;
  }

  /**
   * Runs the program as this rank, on the calling thread. What it throws, the others learn when
   * this is closed.
   */
  public void run(Program program) throws IOException {
    try {
      program.run(rank);
      session.settle(); // what it left under way still needs its membership
      Warnings.log(session.flushUnclosed());
      failure = "";
    } catch (IOException | RuntimeException | Error e) {
      failure = e.toString();
      throw e;
    } catch (Exception e) {
      failure = e.toString();
      throw new MillraceException(ErrorCode.RANK_FAILED, String.valueOf(e), e);
    }
  }

  /**
   * Ends this rank from any thread: its calls fail from now on, those under way included, and the
   * other ranks learn the reason. It must still be closed.
   */
  public void cutOff(String reason) {
    try {
      rank.leave(reason);
    } catch (IOException e) {
      // then the others learn it from the end of the connection
    }
    session.cutOff();
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    List<AutoCloseable> steps = new ArrayList<>();
    steps.add(session::settle); // a rank that leaves has no pending writes under its locks
    steps.add(() -> rank.leave(failure));
    steps.add(session);
    if (peers.servesOthers()) {
      steps.add(this::awaitOthers);
    }
    steps.add(peers);
    Closing.closeAll(steps);
  }

  /**
   * Waits until all ranks have left, however long they compute. If the coordinator does not answer
   * any more, nobody can go on.
   */
  private void awaitOthers() throws IOException {
    Dialer dialer = peers.network().dialer();
    try (Link link = dialer.coordinator()) {
      awaitLeft(link);
      if (dialer.isHere(Dialer.COORDINATOR)) {
        // they end more quickly while the coordinator answers
        long deadline = env.deadlineAfter(ASK_NANOS);
        while (env.nanoTime() < deadline
            && dialer.facts(link).nodes().stream().anyMatch(this::isOn)) {
          Pause.of(env, POLL_NANOS);
        }
      }
    } catch (MillraceException e) {
      // the coordinator has ended
    }
  }

  private void awaitLeft(Link coordinator) throws IOException {
    try {
      while (true) {
        Message reply =
            coordinator.call(
                new CoordinatorRequest.AskMembers(group),
                MemorySegment.NULL,
                env.deadlineAfter(ASK_NANOS));
        if (((Members) reply).gone().size() >= launch.size()) {
          return;
        }
        Pause.of(env, POLL_NANOS);
      }
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.CLOSED) { // the group is no more: all have left
        throw e;
      }
    }
  }

  /** Whether this is a node of another process that has not ended yet. */
  private boolean isOn(NodeFact node) {
    return node.up() && !peers.network().dialer().isHere(Dialer.nameOfNode(node.number()));
  }
}
