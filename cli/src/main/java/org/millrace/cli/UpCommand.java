package org.millrace.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.millrace.Cluster;
import org.millrace.ClusterOptions;
import org.millrace.CoordinatorAddress;
import org.millrace.Whereabouts;
import org.millrace.disk.RunFolder;
import org.millrace.env.Env;
import org.millrace.protocol.NodeFact;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code millrace up}: a whole cluster of processes on this host. Used by one thread. */
@Command(
    name = "up",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    description = {
      "Start a cluster of processes on this host: a coordinator and nodes.",
      "",
      "Those that run already are left alone, those that do not are started: after a node was"
          + " killed, the same command brings it back. Returns when all nodes are there. millrace"
          + " stop ends them."
    })
final class UpCommand implements Callable<Integer> {

  static final int DEFAULT_NODES = 4;

  private static final long PATIENCE_NANOS = 60_000_000_000L;
  private static final long PAUSE_NANOS = 100_000_000L;

  @Spec private CommandSpec spec;

  @Mixin private DaemonOptions options;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description = "Number of nodes; more than it has adds some (default: as it has, or 4).")
  void setNodes(String count) {
    options.give("nodes", count);
  }

  /** How many nodes a cluster has, or would have. */
  static int nodesOf(Path directory) throws IOException {
    return new Daemons(directory).nodesOfCluster().orElse(DEFAULT_NODES);
  }

  @Override
  public Integer call() throws Exception {
    DaemonOptions.Settings settings = options.settings();
    settings.server(); // wrong settings are better told here than in a log
    Path directory = settings.directory();
    int had = new Daemons(directory).nodesOfCluster().orElse(0);
    int nodes = Math.max(settings.number("nodes", had == 0 ? DEFAULT_NODES : had), had);
    RunFolder.make(directory, settings.server().shared());
    Daemons daemons = new Daemons(directory);
    Map<String, Process> started = new LinkedHashMap<>();
    boolean done = false;
    try {
      start(daemons, Daemons.COORDINATOR, settings, List.of("--nodes", "" + nodes), started);
      awaitAddress(daemons, started);
      List<NodeFact> facts = await(daemons, started, directory, 0);
      if (facts.size() < nodes) {
        throw new IOException(
            "the cluster that runs in %s has %d nodes; millrace stop, then up --nodes %d adds some"
                .formatted(directory, facts.size(), nodes));
      }
      for (int i = 0; i < facts.size(); i++) {
        start(daemons, Daemons.node(i), settings, List.of("--node", "" + i), started);
      }
      await(daemons, started, directory, facts.size());
      done = true;
      report(directory, facts.size(), started.size());
      return ExitCode.OK;
    } finally {
      if (!done) {
        started.values().forEach(Process::destroy);
      }
    }
  }

  private static void start(
      Daemons daemons,
      String daemon,
      DaemonOptions.Settings settings,
      List<String> more,
      Map<String, Process> started)
      throws IOException {
    if (daemons.process(daemon).isPresent()) {
      return;
    }
    List<String> args = new ArrayList<>();
    boolean node = !daemon.equals(Daemons.COORDINATOR);
    args.add(node ? "node" : Daemons.COORDINATOR);
    args.addAll(settings.asOptions(node));
    args.addAll(more);
    started.put(daemon, daemons.start(daemon, args));
  }

  /** What a coordinator left that was killed is not its address any more. */
  private static void awaitAddress(Daemons daemons, Map<String, Process> started)
      throws IOException, InterruptedException {
    Process coordinator = started.get(Daemons.COORDINATOR);
    RunFolder folder = RunFolder.of(daemons.directory());
    Env env = Env.real();
    long deadline = env.deadlineAfter(PATIENCE_NANOS);
    while (coordinator != null) {
      Optional<CoordinatorAddress> said = CoordinatorAddress.read(folder);
      if (said.isPresent() && said.get().pid() == coordinator.pid()) {
        return;
      }
      check(daemons, started, env, deadline);
      env.sleep(PAUSE_NANOS);
    }
  }

  /** Waits until the coordinator answers and so many nodes are there. */
  private static List<NodeFact> await(
      Daemons daemons, Map<String, Process> started, Path directory, int nodes)
      throws IOException, InterruptedException {
    Env env = Env.real();
    long deadline = env.deadlineAfter(PATIENCE_NANOS);
    var where = new Whereabouts.In(directory);
    try (Cluster cluster = Cluster.connect(where.toString(), ClusterOptions.DEFAULT)) {
      while (true) {
        List<NodeFact> facts = cluster.nodeFacts();
        if (facts.stream().filter(NodeFact::up).count() >= nodes) {
          return facts;
        }
        check(daemons, started, env, deadline);
        env.sleep(PAUSE_NANOS);
      }
    }
  }

  private static void check(Daemons daemons, Map<String, Process> started, Env env, long deadline)
      throws IOException {
    for (Map.Entry<String, Process> one : started.entrySet()) {
      if (!one.getValue().isAlive()) {
        throw new IOException(
            "%s ended at once: %s; all of its log is in %s"
                .formatted(
                    one.getKey(),
                    String.join("; ", daemons.tail(one.getKey())),
                    daemons.log(one.getKey())));
      }
    }
    if (env.nanoTime() > deadline) {
      throw new IOException(
          "not all daemons have come within %d s; see their logs in %s"
              .formatted(
                  PATIENCE_NANOS / 1_000_000_000L, daemons.log(Daemons.COORDINATOR).getParent()));
    }
  }

  private void report(Path directory, int nodes, int started) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    String where = new Whereabouts.In(directory).coordinator().toString();
    String what =
        started == 0
            ? "is up already"
            : started == nodes + 1 ? "is up" : "is up, " + started + " of its processes anew";
    out.printf(
        "The cluster in %s %s: %d node%s, coordinator at %s%n",
        directory, what, nodes, nodes == 1 ? "" : "s", where);
    if (started > 0) {
      String option = directory.equals(RunCommand.DEFAULT_DIRECTORY) ? "" : " --dir " + directory;
      out.printf(
          "Next: millrace run heat --procs --dir %s, or millrace status%s; end it with: millrace"
              + " stop%s%n",
          directory, option, option);
    }
  }
}
