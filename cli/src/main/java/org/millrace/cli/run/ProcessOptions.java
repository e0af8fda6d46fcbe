package org.millrace.cli.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.daemons.Daemons;
import org.millrace.cli.daemons.UpCommand;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.launch.Launch;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Address;
import org.millrace.wire.Tls;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * Options of {@code millrace run} about processes: whether ranks are some, and where the cluster
 * is. Used by one thread.
 */
final class ProcessOptions {

  private static final double SECOND = 1e9;

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--procs",
      scope = ScopeType.INHERIT,
      description = "Run each rank in a JVM of its own; each is also a part of the cluster in D.")
  private boolean procs;

  private @Nullable String address;

  @Option(
      names = "--connect",
      paramLabel = "ADDRESS",
      scope = ScopeType.INHERIT,
      description =
          "Use the cluster at unix:/path, tcp:host:port or tls:host:port. Not needed for daemons that"
              + " run in D.")
  void setAddress(@Nullable String text) {
    address = text;
  }

  private @Nullable String listen;

  @Option(
      names = "--listen",
      paramLabel = "ADDRESS",
      scope = ScopeType.INHERIT,
      description =
          "Where this rank listens for the others, such as tls:host:0 (default: MILLRACE_LISTEN,"
              + " else the address from which it reaches the coordinator).")
  void setListen(@Nullable String text) {
    listen = text;
  }

  @Option(
      names = "--keys",
      paramLabel = "K",
      scope = ScopeType.INHERIT,
      description = "Folder with the keys for tls: addresses, as millrace keys makes it.")
  private @Nullable Path keys;

  @Option(
      names = "--output",
      paramLabel = "HOW",
      defaultValue = "prefixed",
      scope = ScopeType.INHERIT,
      description =
          "With --procs: lines of ranks are ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private RankOutput output = RankOutput.prefixed;

  @Option(
      names = "--start-timeout",
      paramLabel = "S",
      defaultValue = "60",
      scope = ScopeType.INHERIT,
      description = "Seconds to wait for all rank processes to start (default: 60).")
  private double startTimeout = 60;

  @Option(
      names = "--silence",
      paramLabel = "S",
      defaultValue = "20",
      scope = ScopeType.INHERIT,
      description = "Seconds of silence after which a process counts as gone (default: 20).")
  private double silence = 20;

  @Option(
      names = "--grace",
      paramLabel = "S",
      defaultValue = "5",
      scope = ScopeType.INHERIT,
      description = "Seconds in which a lost connection can come back (default: 5).")
  private double grace = 5;

  /** Whether this process is to start those of the ranks. */
  boolean startsProcesses() {
    Optional<Launch> launch = launch();
    if (procs && launch.isPresent() && !launch.get().launcher().startsWith("MILLRACE")) {
      throw wrong(
          "%s has started this as one of several ranks; leave --procs out"
              .formatted(launch.get().launcher()));
    }
    return procs && launch.isEmpty();
  }

  private Optional<Launch> launch() {
    try {
      return Launch.recognize();
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  /** Runs the whole command again in each of the ranks' processes. */
  int startProcesses(ClusterLocation where, int ranks) throws IOException, InterruptedException {
    CommandLine top = spec.commandLine();
    while (top.getParent() != null) {
      top = top.getParent();
    }
    List<String> args = top.getParseResult().originalArgs();
    RankProcesses processes = new RankProcesses(top.getOut(), top.getErr(), output);
    return processes.run(args, ranks, where.toString());
  }

  /**
   * Where the ranks are and where the cluster is.
   *
   * @param ranks how many ranks were asked for, if that was said
   * @param nodes how many nodes were asked for, if that was said
   */
  RunMode mode(ClusterLocation where, Optional<Integer> ranks, Optional<Integer> nodes)
      throws IOException {
    checkSeconds();
    Optional<Launch> launch = launch();
    TransportOptions transport = transport();
    var waiting = new RunMode.Talking(transport, listen(), (long) (startTimeout * SECOND));
    if (launch.isPresent() && ranks.isPresent() && ranks.get() != launch.get().size()) {
      throw wrong(
          "--ranks is %s, but %s has started %s"
              .formatted(ranks.get(), launch.get().launcher(), launch.get().size()));
    }
    if (where instanceof ClusterLocation.In in && !in.hasDaemons()) {
      Path directory = in.directory();
      Optional<Integer> said = nodes.isPresent() ? nodes : new Daemons(directory).nodesOfCluster();
      return launch.isPresent()
          ? new RunMode.Peer(launch.get(), directory, waiting, said.orElse(launch.get().size()))
          : new RunMode.OneJvm(
              directory,
              ranks.orElse(RunCommand.DEFAULT_RANKS),
              said.orElse(UpCommand.DEFAULT_NODES));
    }
    int all;
    try (RunningCluster cluster =
        RunningCluster.connect(where, ClusterOptions.DEFAULT, transport)) {
      all = cluster.nodes();
    }
    int some = Math.min(nodes.orElse(all), all);
    return launch.isPresent()
        ? new RunMode.Client(launch.get(), where, waiting, some)
        : new RunMode.Connected(where, transport, ranks.orElse(RunCommand.DEFAULT_RANKS), some);
  }

  /** Where the cluster is, if an address was given. */
  Optional<ClusterLocation> address() {
    try {
      return Optional.ofNullable(address).map(ClusterLocation::parse);
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  /** These options as the system properties that {@link org.millrace.Millrace} reads. */
  Map<String, String> properties() {
    Map<String, String> all = new HashMap<>();
    all.put("millrace.start.timeout", Double.toString(startTimeout));
    all.put("millrace.silence", Double.toString(silence));
    all.put("millrace.grace", Double.toString(grace));
    if (listen != null) {
      all.put("millrace.listen", listen);
    }
    if (keys != null) {
      all.put("millrace.keys", keys.toString());
    }
    return all;
  }

  private Optional<Address> listen() {
    try {
      return Optional.ofNullable(listen).map(Address::parse);
    } catch (IllegalArgumentException e) {
      throw wrong("--listen: " + e.getMessage());
    }
  }

  private TransportOptions transport() throws IOException {
    TransportOptions transport =
        TransportOptions.DEFAULT.withTimeouts((long) (silence * SECOND), (long) (grace * SECOND));
    return keys == null
        ? transport
        : transport.withSecurity(transport.security().withTls(Tls.load(keys)));
  }

  private void checkSeconds() {
    if (!(startTimeout > 0 && silence > 0 && grace > 0)) {
      throw wrong(
          "--start-timeout %s, --silence %s and --grace %s must be above 0"
              .formatted(startTimeout, silence, grace));
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
