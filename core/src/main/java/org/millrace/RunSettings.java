package org.millrace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.ClusterDirectory;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.daemon.ServerOptions;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Address;
import org.millrace.wire.Tls;

/**
 * What a program is told from outside about its run: system properties, else variables, as {@link
 * Millrace} lists them. Immutable, unless its sources change.
 */
record RunSettings(Properties properties, Map<String, String> variables) {

  private static final int DEFAULT_RANKS = 4;
  private static final int DEFAULT_NODES = 4;
  private static final double SECOND = 1e9;

  static RunSettings ofThisProcess() {
    return new RunSettings(System.getProperties(), System.getenv());
  }

  /** How many ranks there are, if they are threads. */
  int ranks() {
    // the variable MILLRACE_RANKS says that a process is one rank of several
    return number("millrace.ranks", text("millrace.ranks", false)).orElse(DEFAULT_RANKS);
  }

  /** The cluster for ranks that are threads. */
  RunningCluster open(ClusterOptions given) throws IOException {
    ClusterOptions options = limited(given);
    return switch (location()) {
      case ClusterLocation.In in when !in.hasDaemons() -> embedded(in.directory(), options);
      case ClusterLocation location -> RunningCluster.connect(location, options, transport());
    };
  }

  private RunningCluster embedded(Path directory, ClusterOptions options) throws IOException {
    Optional<Integer> nodes = nodes();
    if (nodes.isEmpty() && ClusterDirectory.isThere(directory)) {
      return RunningCluster.open(directory, options);
    }
    return RunningCluster.embedded(directory, nodes.orElse(DEFAULT_NODES), options);
  }

  /** Takes part as one rank of several. */
  ProcessRank join(Launch launch, ClusterOptions given) throws IOException {
    ClusterOptions options = limited(given);
    ServerOptions server = ServerOptions.of(options, transport());
    Optional<Address> listen = text("millrace.listen", true).map(Address::parse);
    ProcessRankOptions rankOptions =
        ProcessRankOptions.of(options)
            .withServer(listen.map(server::withAddress).orElse(server))
            .withAssembleNanos(nanos("millrace.start.timeout", 60));
    return switch (location()) {
      case ClusterLocation.In in when !in.hasDaemons() ->
          nodes().isPresent()
              ? ProcessRank.asPeer(launch, in.directory(), nodes().get(), rankOptions)
              : ProcessRank.asPeer(launch, in.directory(), rankOptions);
      case ClusterLocation location -> ProcessRank.join(launch, location, rankOptions);
    };
  }

  /** The program's own options, unless it is told otherwise how long ranks wait for each other. */
  private ClusterOptions limited(ClusterOptions given) {
    return text("millrace.timeout", true).isEmpty()
        ? given
        : given.withLimits(given.limits().withMeetingNanos(nanos("millrace.timeout", 1)));
  }

  private ClusterLocation location() {
    return text("millrace.address", true)
        .map(ClusterLocation::parse)
        .orElse(new ClusterLocation.In(ClusterLocation.DEFAULT_DIRECTORY));
  }

  private Optional<Integer> nodes() {
    return number("millrace.nodes", text("millrace.nodes", true));
  }

  private TransportOptions transport() throws IOException {
    TransportOptions plain =
        TransportOptions.DEFAULT.withTimeouts(
            nanos("millrace.silence", 20), nanos("millrace.grace", 5));
    Optional<String> keys = text("millrace.keys", true);
    return keys.isEmpty()
        ? plain
        : plain.withSecurity(plain.security().withTls(Tls.load(Path.of(keys.get()))));
  }

  private long nanos(String name, int usual) {
    String said = text(name, true).orElse(Integer.toString(usual));
    double seconds;
    try {
      seconds = Double.parseDouble(said);
    } catch (NumberFormatException e) {
      seconds = 0;
    }
    if (!(seconds > 0)) {
      throw new IllegalArgumentException(
          "%s is '%s', must be a number of seconds above 0".formatted(name, said));
    }
    return (long) (seconds * SECOND);
  }

  private static Optional<Integer> number(String name, Optional<String> said) {
    return said.map(
        text -> {
          if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) < 1) {
            throw new IllegalArgumentException(
                "%s is '%s', must be a whole number of at least 1".formatted(name, text));
          }
          return Integer.parseInt(text);
        });
  }

  private Optional<String> text(String name, boolean orVariable) {
    String variable = name.replace('.', '_').toUpperCase(Locale.ROOT);
    String otherwise = orVariable ? variables.getOrDefault(variable, "") : "";
    String said = properties.getProperty(name, otherwise).strip();
    return said.isEmpty() ? Optional.empty() : Optional.of(said);
  }
}
