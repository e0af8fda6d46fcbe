package org.millrace.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.millrace.Cluster;
import org.millrace.ClusterOptions;
import org.millrace.Launch;
import org.millrace.Whereabouts;
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
          "Use the cluster at unix:/path, tcp:host:port or tls:host:port. A cluster of daemons that"
              + " runs in D is used without being asked for.")
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
              + " else by which address it reaches the coordinator).")
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
      names = "--patience",
      paramLabel = "S",
      defaultValue = "60",
      scope = ScopeType.INHERIT,
      description = "Seconds to wait until all rank processes have come (default: 60).")
  private double patience = 60;

  @Option(
      names = "--silence",
      paramLabel = "S",
      defaultValue = "20",
      scope = ScopeType.INHERIT,
      description = "Seconds without a sign of life after which a process is gone (default: 20).")
  private double silence = 20;

  @Option(
      names = "--grace",
      paramLabel = "S",
      defaultValue = "5",
      scope = ScopeType.INHERIT,
      description = "Seconds that a lost connection has to come back (default: 5).")
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
  int startProcesses(Path directory, int ranks) throws IOException, InterruptedException {
    CommandLine top = spec.commandLine();
    while (top.getParent() != null) {
      top = top.getParent();
    }
    List<String> args = top.getParseResult().originalArgs();
    String where = address == null ? directory.toString() : address;
    RankProcesses processes = new RankProcesses(top.getOut(), top.getErr(), output);
    return processes.run(args, ranks, where);
  }

  /**
   * Where the ranks are and where the cluster is.
   *
   * @param ranks how many ranks were asked for, if that was said
   * @param nodes how many nodes were asked for, if that was said
   */
  RunMode mode(Path directory, Optional<Integer> ranks, Optional<Integer> nodes)
      throws IOException {
    checkSeconds();
    Optional<Launch> launch = launch();
    Optional<Whereabouts> daemons = daemons(directory);
    TransportOptions transport = transport();
    var waiting = new RunMode.Talking(transport, listen(), (long) (patience * SECOND));
    if (launch.isPresent() && ranks.isPresent() && ranks.get() != launch.get().size()) {
      throw wrong(
          "--ranks is %d, but %s has started %d"
              .formatted(ranks.get(), launch.get().launcher(), launch.get().size()));
    }
    if (daemons.isEmpty()) {
      return launch.isPresent()
          ? new RunMode.Peer(launch.get(), directory, waiting, nodes.orElse(launch.get().size()))
          : new RunMode.OneJvm(
              directory,
              ranks.orElse(RunCommand.DEFAULT_RANKS),
              nodes.orElse(UpCommand.DEFAULT_NODES));
    }
    Whereabouts where = daemons.get();
    int all;
    try (Cluster cluster = Cluster.connect(where, ClusterOptions.DEFAULT, transport)) {
      all = cluster.nodes();
    }
    int some = Math.min(nodes.orElse(all), all);
    return launch.isPresent()
        ? new RunMode.Client(launch.get(), where, waiting, some)
        : new RunMode.Connected(where, transport, ranks.orElse(RunCommand.DEFAULT_RANKS), some);
  }

  private Optional<Whereabouts> daemons(Path directory) throws IOException {
    if (address != null) {
      try {
        return Optional.of(Whereabouts.parse(address));
      } catch (IllegalArgumentException e) {
        throw wrong(String.valueOf(e.getMessage()));
      }
    }
    var in = new Whereabouts.In(directory);
    return in.hasDaemons() ? Optional.of(in) : Optional.empty();
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
        TransportOptions.DEFAULT.withPatience((long) (silence * SECOND), (long) (grace * SECOND));
    return keys == null
        ? transport
        : transport.withSecurity(transport.security().withTls(Tls.load(keys)));
  }

  private void checkSeconds() {
    if (!(patience > 0 && silence > 0 && grace > 0)) {
      throw wrong(
          "--patience %s, --silence %s and --grace %s must be above 0"
              .formatted(patience, silence, grace));
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
