package org.millrace.launch;

import java.io.IOException;
import java.nio.file.Path;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.ServerOptions;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Address;
import org.millrace.wire.Tls;

/**
 * This process as one rank of a parallel program whose ranks are processes. The cluster is that of
 * daemons, or the ranks' processes are the cluster, too ({@link #asPeer}): then each of them holds
 * nodes, and that of rank 0 the coordinator.
 *
 * <p>{@link #cutOff} may be called by any thread; {@link #run} and closing belong to the thread
 * that made it. Closing leaves the group; in a cluster of peers it then waits until all ranks have
 * left, because they may need this process's nodes, and makes these durable. It is idempotent.
 */
public final class Launched implements AutoCloseable {

  private final ProcessRank process;

  private Launched(ProcessRank process) {
    this.process = process;
  }

  /**
   * Takes part as the environment says: who launched this process, and in {@link Launch#ADDRESS}
   * where the cluster is: the address of daemons, or a directory. If daemons run in the directory
   * they are used, else the ranks are the cluster, with the nodes that it has or, if it is new, one
   * for each rank. Returns when all ranks have come.
   */
  public static Launched join(LaunchedOptions options) throws IOException {
    return new Launched(ProcessRank.join(rankOptions(options)));
  }

  /**
   * Takes part in a job at the cluster of daemons that is at {@code location}, an address or a
   * directory. Returns when all ranks have come.
   *
   * @throws org.millrace.error.RankFailedException if some have not come in time, naming them
   */
  public static Launched join(Launch launch, String location, LaunchedOptions options)
      throws IOException {
    return new Launched(
        ProcessRank.join(launch, ClusterLocation.parse(location), rankOptions(options)));
  }

  /**
   * Takes part in a job whose processes are the cluster in {@code directory}. Returns when all
   * ranks have come.
   *
   * @param nodes how many nodes the cluster has at least
   * @throws org.millrace.error.RankFailedException if some have not come in time, naming them
   */
  public static Launched asPeer(Launch launch, Path directory, int nodes, LaunchedOptions options)
      throws IOException {
    return new Launched(ProcessRank.asPeer(launch, directory, nodes, rankOptions(options)));
  }

  /**
   * Takes part in a job whose processes are the cluster, and share no directory. Returns when all
   * ranks have come.
   *
   * @param directory of this process alone: its nodes are there, and the coordinator if this is
   *     rank 0. For other hosts to reach it, {@code options} have an address to listen at, and keys
   * @param nodes how many nodes the cluster has at least
   * @param meeting tells all ranks what rank 0 says; it must end if rank 0 does
   * @throws org.millrace.error.RankFailedException if some have not come in time, naming them
   */
  public static Launched asPeer(
      Launch launch, Path directory, int nodes, PeerMeeting meeting, LaunchedOptions options)
      throws IOException {
    return new Launched(
        ProcessRank.asPeer(launch, directory, nodes, meeting, rankOptions(options)));
  }

  private static ProcessRankOptions rankOptions(LaunchedOptions options) throws IOException {
    TransportOptions transport = TransportOptions.DEFAULT;
    if (options.keys().isPresent()) {
      transport =
          transport.withSecurity(transport.security().withTls(Tls.load(options.keys().get())));
    }
    ServerOptions server = ServerOptions.of(options.cluster(), transport);
    if (options.listen().isPresent()) {
      server = server.withAddress(Address.parse(options.listen().get()));
    }
    return ProcessRankOptions.of(options.cluster())
        .withServer(server)
        .withAssembleNanos(options.assembleNanos());
  }

  /** This rank. */
  public Rank rank() {
    return process.rank();
  }

  /**
   * Runs the program as this rank, on the calling thread. What it throws, the others learn when
   * this is closed.
   */
  public void run(Program program) throws IOException {
    process.run(program);
  }

  /**
   * Ends this rank from any thread, for launchers that must be sure that it does nothing any more:
   * its calls fail from now on, those under way included, and the other ranks learn the reason. It
   * must still be closed.
   */
  public void cutOff(String reason) {
    process.cutOff(reason);
  }

  @Override
  public void close() throws IOException {
    process.close();
  }
}
