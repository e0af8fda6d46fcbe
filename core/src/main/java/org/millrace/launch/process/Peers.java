package org.millrace.launch.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.millrace.cluster.Closing;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.CoordinatorAddress;
import org.millrace.cluster.Pause;
import org.millrace.daemon.CoordinatorPart;
import org.millrace.daemon.NodePart;
import org.millrace.daemon.ProcessContext;
import org.millrace.daemon.ProcessNetwork;
import org.millrace.daemon.ServerOptions;
import org.millrace.disk.RunFolder;
import org.millrace.disk.SecretFile;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.MillraceException;
import org.millrace.launch.Launch;
import org.millrace.launch.PeerMeeting;
import org.millrace.message.Boards;
import org.millrace.message.Link;
import org.millrace.message.TransportOptions;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.wire.Address;
import org.millrace.wire.Secret;

/**
 * What the process of a rank serves beside the rank: in a cluster of peers its nodes and, if it is
 * rank 0's, the coordinator; otherwise nothing.
 *
 * <p>Made and closed by one thread. Closing ends all connections and makes the nodes durable.
 */
final class Peers implements AutoCloseable {

  private static final long POLL_NANOS = 20_000_000L;

  // constant after construction
  private final Env env;
  private final ProcessNetwork network;
  private final @Nullable Boards boards;
  private final List<AutoCloseable> inOrder = new ArrayList<>(); // filled while it starts

  private Peers(Env env, ProcessNetwork network, boolean boards) {
    this.env = env;
    this.network = network;
    this.boards = boards ? new Boards(env, network.transport().host()) : null;
    inOrder.add(network);
  }

  /** Serves nothing but the rank: the cluster is that of daemons. */
  static Peers none(Launch launch, ClusterLocation location, ProcessRankOptions options)
      throws IOException {
    Env env = Env.real();
    long pid = ProcessHandle.current().pid();
    ServerOptions serverOptions =
        Inboxes.beside(location.coordinator(), options.server(), System.getenv());
    String socket = "rank-" + launch.rank() + "-" + pid + ".socket";
    return new Peers(
        env, ProcessNetwork.open(env, RunFolder.ofUser(), socket, serverOptions, location), true);
  }

  /** As {@link #none(Launch, ClusterLocation, ProcessRankOptions)}, in a given process context. */
  static Peers none(ProcessContext context) throws IOException {
    return new Peers(context.env(), context.network(), false);
  }

  /** Serves this rank's share of the cluster in {@code directory}, which all ranks see. */
  static Peers start(Launch launch, Path directory, int nodes, ProcessRankOptions options)
      throws IOException {
    Env env = Env.real();
    RunFolder folder = RunFolder.make(directory, false);
    ClusterLocation location = new ClusterLocation.In(directory);
    if (launch.rank() > 0) {
      awaitCoordinator(env, folder, launch, options.assembleNanos());
      return new Start(env, launch, directory, folder, options.server(), location).asOther();
    }
    return new Start(env, launch, directory, folder, options.server(), location)
        .asFirst(nodes, _ -> {});
  }

  /** As above, with the nodes of this process alone in {@code directory}. */
  static Peers start(
      Launch launch, Path directory, int nodes, PeerMeeting meeting, ProcessRankOptions options)
      throws IOException {
    Env env = Env.real();
    RunFolder folder = RunFolder.make(directory, false);
    ServerOptions server = options.server();
    if (launch.rank() == 0) {
      ClusterLocation location = new ClusterLocation.In(directory);
      return new Start(env, launch, directory, folder, server, location)
          .asFirst(nodes, at -> meeting.hear(Invitation.to(at, directory).text()));
    }
    Invitation invitation = Invitation.parse(meeting.hear(""));
    byte[] secret = SecretFile.readOrMake(directory, invitation::secretBytes);
    TransportOptions transport = server.transport();
    return new Start(
            env,
            launch,
            directory,
            folder,
            server.withTransport(
                transport.withSecurity(transport.security().withSecret(new Secret(secret)))),
            new ClusterLocation.At(invitation.coordinator()))
        .asOther();
  }

  /** Told where the coordinator is, as soon as it answers. */
  private interface Announcement {
    void at(Address coordinator) throws IOException;
  }

  /** The start of a process of peers. Immutable. */
  private record Start(
      Env env,
      Launch launch,
      Path directory,
      RunFolder folder,
      ServerOptions options,
      ClusterLocation location) {

    /** Rank 0, with the coordinator. */
    Peers asFirst(int nodes, Announcement announcement) throws IOException {
      CoordinatorPart coordinator =
          CoordinatorPart.open(env, directory, nodes, options, 0, () -> {}, _ -> {});
      List<AutoCloseable> made = new ArrayList<>(List.of(coordinator));
      try {
        Peers peers = new Peers(env, network(), true);
        made.addFirst(peers);
        peers.serve(coordinator, launch, folder);
        announcement.at(peers.network.acceptor().address());
        peers.startNodes(launch, directory, options);
        return peers;
      } catch (IOException | RuntimeException e) {
        Closing.closeAfter(made, e);
        throw e;
      }
    }

    Peers asOther() throws IOException {
      Peers peers = new Peers(env, network(), true);
      try {
        peers.startNodes(launch, directory, options);
        return peers;
      } catch (IOException | RuntimeException e) {
        Closing.closeAfter(List.of(peers), e);
        throw e;
      }
    }

    private ProcessNetwork network() throws IOException {
      String socket = "peer-" + launch.rank() + ".socket";
      return ProcessNetwork.open(env, folder, socket, options, location, false);
    }
  }

  private void serve(CoordinatorPart coordinator, Launch launch, RunFolder folder)
      throws IOException {
    inOrder.add(coordinator);
    coordinator.serve(network.acceptor(), network.dialer());
    var said = CoordinatorAddress.ofThis(network.acceptor().address(), launch.job());
    said.write(folder);
    inOrder.addFirst(() -> said.delete(folder));
  }

  private void startNodes(Launch launch, Path directory, ServerOptions options) throws IOException {
    Facts facts;
    try (Link link = network.dialer().coordinator()) {
      facts = network.dialer().facts(link);
    }
    for (int i = launch.rank(); i < facts.nodes().size(); i += launch.size()) {
      var place = NodePart.Place.of(directory, i, facts);
      NodePart node =
          NodePart.start(
              env,
              place,
              options,
              network.acceptor(),
              network.dialer(),
              network.transport().host(),
              () -> {},
              _ -> {});
      inOrder.addFirst(node::unregister);
      inOrder.add(inOrder.indexOf(network) + 1, node); // before the coordinator
    }
  }

  /** Waits for rank 0's coordinator. What a run that was killed has left is another job's. */
  private static void awaitCoordinator(Env env, RunFolder folder, Launch launch, long waitNanos)
      throws IOException {
    long deadline = env.deadlineAfter(waitNanos);
    while (true) {
      Optional<CoordinatorAddress> said = CoordinatorAddress.read(folder);
      if (said.isPresent() && said.get().job().equals(launch.job())) {
        return;
      }
      if (env.nanoTime() > deadline) {
        throw new DeadlineException(
            "rank 0 of job %s has not started: it has not written %s"
                .formatted(launch.job(), folder.file(CoordinatorAddress.FILE)));
      }
      Pause.of(env, POLL_NANOS);
    }
  }

  Env env() {
    return env;
  }

  ProcessNetwork network() {
    return network;
  }

  /**
   * The boards on which ranks of one host meet; null in a given process context, which has none.
   */
  @Nullable Boards boards() {
    return boards;
  }

  /** Whether other ranks need this process for as long as they run. */
  boolean servesOthers() {
    return inOrder.size() > 1;
  }

  /**
   * Waits until no other process has a session here, at most until {@code deadlineNanos}. The
   * others hear why a job failed from this process's coordinator, and leave then.
   */
  void awaitNoSessions(long deadlineNanos) throws MillraceException {
    while (network.acceptor().sessions() > 0 && env.nanoTime() < deadlineNanos) {
      Pause.of(env, POLL_NANOS);
    }
  }

  @Override
  public void close() throws IOException {
    Closing.closeAll(inOrder);
  }
}
