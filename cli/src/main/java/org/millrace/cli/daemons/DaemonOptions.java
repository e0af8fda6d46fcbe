package org.millrace.cli.daemons;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ByteCount;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.ServerOptions;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Address;
import org.millrace.wire.Tls;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import picocli.CommandLine.TypeConversionException;

/**
 * Options of a daemon, from the command line or from a properties file with the same names; the
 * command line has priority. Used by one thread.
 */
public final class DaemonOptions {

  private static final long SECOND = 1_000_000_000L;

  private static final long SCRUB_RATE = 1 << 20;

  /** Every setting of any daemon. */
  private static final Set<String> NAMES =
      Set.of(
          "dir",
          "address",
          "cache",
          "stripe-unit",
          "shared",
          "keys",
          "silence",
          "grace",
          "scrub-rate",
          "nodes",
          "node",
          "coordinators",
          "member",
          "new-member",
          "coordinator");

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  /** What was given as an option, by the name it has in the file. */
  private final Map<String, String> given = new TreeMap<>();

  private @Nullable Path config;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Java properties with the same settings, such as cache=1g.")
  void setConfig(Path file) {
    config = file;
  }

  @Option(
      names = "--dir",
      paramLabel = "D",
      description = "The cluster's directory (default: .millrace/data).")
  void setDirectory(String path) {
    if (path.isEmpty()) { // a shell variable that was not set, likely
      throw new ParameterException(
          spec.commandLine(), "--dir is empty; give a folder, or . for the current one");
    }
    given.put("dir", path);
  }

  @Option(
      names = "--address",
      paramLabel = "ADDRESS",
      description =
          "Where to listen: unix:/path, tcp:127.0.0.1:port or tls:host:port; port 0 for any"
              + " (default: a socket in D/run).")
  void setAddress(String address) {
    given.put("address", address);
  }

  @Option(
      names = "--cache",
      paramLabel = "BYTES",
      description =
          "Memory for a node's cache, with k, m or g (default: 1/16 of this host's, but at least"
              + " 256m; nodes that up starts share 1/8).")
  void setCache(String bytes) {
    given.put("cache", bytes);
  }

  @Option(
      names = "--stripe-unit",
      paramLabel = "BYTES",
      description = "Stripe unit of files that are created without one (default: 64k).")
  void setStripeUnit(String bytes) {
    given.put("stripe-unit", bytes);
  }

  @Option(
      names = "--shared",
      description = "Let other users of this host connect; files have owners and modes.")
  void setShared(boolean shared) {
    given.put("shared", Boolean.toString(shared));
  }

  @Option(
      names = "--keys",
      paramLabel = "K",
      description = "Folder with the keys for tls: addresses, as millrace keys makes it.")
  void setKeys(String folder) {
    given.put("keys", folder);
  }

  @Option(
      names = "--silence",
      paramLabel = "S",
      description = "Seconds of silence after which a peer counts as gone (default: 20).")
  void setSilence(String seconds) {
    given.put("silence", seconds);
  }

  @Option(
      names = "--grace",
      paramLabel = "S",
      description = "Seconds in which a lost connection can come back (default: 5).")
  void setGrace(String seconds) {
    given.put("grace", seconds);
  }

  @Option(
      names = "--scrub-rate",
      paramLabel = "BYTES",
      description =
          "How much a node reads a second at most to scrub its disk in the background, with k, m or"
              + " g; 0 for never (default: 1m).")
  void setScrubRate(String bytes) {
    given.put("scrub-rate", bytes);
  }

  /** Adds an option of one command. */
  void give(String name, String value) {
    given.put(name, value);
  }

  /** Everything that was said, from both places. */
  public Settings settings() throws IOException {
    Map<String, String> all = new TreeMap<>();
    if (config != null) {
      Properties properties = new Properties();
      try (Reader reader = Files.newBufferedReader(config)) {
        properties.load(reader);
      }
      for (String name : properties.stringPropertyNames()) {
        if (!NAMES.contains(name)) {
          throw wrong(
              "%s: there is no setting '%s'; there are %s"
                  .formatted(config, name, String.join(", ", new TreeSet<>(NAMES))));
        }
        all.put(name, properties.getProperty(name).strip());
      }
    }
    all.putAll(given);
    return new Settings(all);
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** What was said, by name. */
  public final class Settings {

    private final Map<String, String> all;

    private Settings(Map<String, String> all) {
      this.all = new TreeMap<>(all);
    }

    /**
     * As options of another daemon: those of all. Nodes listen elsewhere than the coordinator, but
     * beyond this host if it does: at any port of the same name.
     */
    public List<String> asOptions(boolean node) throws IOException {
      List<String> options = new ArrayList<>();
      if (node && server().address().orElse(null) instanceof Address.Tcp at && at.tls()) {
        options.add("--address=" + new Address.Tcp(at.host(), 0, true));
      }
      all.forEach(
          (name, value) -> {
            if (name.equals("shared")) {
              options.add("--shared=" + value);
            } else if (!name.matches("nodes|node|coordinators|member|new-member|coordinator")
                && !(node && name.equals("address"))) {
              options.add("--" + name + "=" + value);
            }
          });
      return options;
    }

    Optional<String> text(String name) {
      return Optional.ofNullable(all.get(name));
    }

    /** The cluster's directory. */
    public Path directory() {
      return text("dir").map(Path::of).orElse(ClusterLocation.DEFAULT_DIRECTORY);
    }

    int number(String name, int otherwise) {
      return text(name)
          .map(
              value -> {
                if (!value.matches("[0-9]{1,9}")) {
                  throw wrong(name + " must be a whole number, was '" + value + "'");
                }
                return Integer.parseInt(value);
              })
          .orElse(otherwise);
    }

    private long bytes(String name, long otherwise) {
      try {
        return text(name).map(new ByteCount()::convert).orElse(otherwise);
      } catch (TypeConversionException e) {
        throw wrong(name + ": " + e.getMessage());
      }
    }

    private long seconds(String name, long otherwiseNanos) {
      String value = text(name).orElse("");
      if (value.isEmpty()) {
        return otherwiseNanos;
      }
      if (!value.matches("[0-9]{1,6}(\\.[0-9]{1,3})?") || Double.parseDouble(value) <= 0) {
        throw wrong(name + " must be a number of seconds above 0, was '" + value + "'");
      }
      return (long) (Double.parseDouble(value) * SECOND);
    }

    /** As the servers want it. */
    ServerOptions server() throws IOException {
      ServerOptions options = ServerOptions.DEFAULT;
      TransportOptions transport = options.transport();
      transport =
          transport.withTimeouts(
              seconds("silence", transport.silenceNanos()),
              seconds("grace", transport.graceNanos()));
      Optional<String> keys = text("keys");
      if (keys.isPresent()) {
        transport =
            transport.withSecurity(transport.security().withTls(Tls.load(Path.of(keys.get()))));
      }
      String shared = text("shared").orElse("false");
      if (!shared.matches("true|false")) {
        throw wrong("shared must be true or false, was '" + shared + "'");
      }
      options =
          options
              .withTransport(transport)
              .withCacheBytes(text("cache").isEmpty() ? CacheShare.here(1) : bytes("cache", 0))
              .withStripeUnitBytes(bytes("stripe-unit", options.stripeUnitBytes()))
              .withScrubBytes(
                  text("scrub-rate").equals(Optional.of("0")) ? 0 : bytes("scrub-rate", SCRUB_RATE))
              .withShared(Boolean.parseBoolean(shared));
      try {
        Optional<Address> address = text("address").map(Address::parse);
        return address.map(options::withAddress).orElse(options);
      } catch (IllegalArgumentException e) {
        throw wrong(String.valueOf(e.getMessage()));
      }
    }
  }
}
