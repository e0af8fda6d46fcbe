package org.millrace.cli.campaign;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.millrace.cli.daemons.Daemons;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.message.TransportOptions;

/**
 * The daemons of a cluster's directory, as a campaign treats them. Immutable; used by one thread.
 *
 * @param directory of the cluster
 * @param nodes how many it has
 * @param more options for {@code up}
 * @param environment what its processes find in their environment besides the campaign's own
 */
record ClusterProcesses(
    Path directory, int nodes, List<String> more, Map<String, String> environment)
    implements WorkloadRun.Connector {

  private static final long SECOND = 1_000_000_000L;

  /** Starts what does not run; returns what {@code up} said. */
  String up() throws IOException, InterruptedException {
    List<String> args =
        new ArrayList<>(List.of("up", "--dir", directory.toString(), "--nodes", "" + nodes));
    args.addAll(more);
    return Shell.run(JavaCommand.of(args), environment);
  }

  /** Ends all in order. */
  void stop() throws IOException, InterruptedException {
    Shell.run(JavaCommand.of(List.of("stop", "--dir", directory.toString())), Map.of());
  }

  /** The process of one node, if it lives. */
  List<Long> node(int number) throws IOException {
    return pids(List.of(Daemons.node(number)));
  }

  /** All that live. */
  List<Long> all() throws IOException {
    Daemons daemons = new Daemons(directory);
    List<String> names = new ArrayList<>(daemons.coordinators());
    names.addAll(daemons.nodes());
    return pids(names);
  }

  private List<Long> pids(List<String> names) throws IOException {
    List<Long> pids = new ArrayList<>();
    for (String name : names) {
      new Daemons(directory).process(name).ifPresent(process -> pids.add(process.pid()));
    }
    return pids;
  }

  /** Kills processes and waits until they are gone: what they have mounted must be free. */
  static void kill(List<Long> pids) throws IOException, InterruptedException {
    Shell.signal("KILL", pids);
    for (long pid : pids) {
      ProcessHandle.of(pid).ifPresent(process -> process.onExit().join());
    }
  }

  /** A connection that gives up soon. */
  @Override
  public RunningCluster connect() throws IOException {
    ClusterOptions options =
        ClusterOptions.DEFAULT.withLimits(
            new Limits(20 * SECOND, 20 * SECOND, Limits.DEFAULT.operations(), 1 << 20));
    return RunningCluster.connect(
        new ClusterLocation.In(directory),
        options,
        TransportOptions.DEFAULT.withTimeouts(10 * SECOND, SECOND));
  }
}
