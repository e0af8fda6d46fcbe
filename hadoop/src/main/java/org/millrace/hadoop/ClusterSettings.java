package org.millrace.hadoop;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import org.millrace.launch.Launch;

/**
 * Which cluster a URI means, by its authority and the configuration.
 *
 * <pre>
 *   millrace://NAME/path        fs.millrace.cluster.NAME.location
 *   millrace://HOST:PORT/path   the same key if it is set, else tls:HOST:PORT if there are keys, else tcp:HOST:PORT
 *   millrace:///path            fs.millrace.location, else the environment's MILLRACE_ADDRESS
 * </pre>
 *
 * Every key {@code fs.millrace.X} may be given for one authority as {@code
 * fs.millrace.cluster.NAME.X}. Immutable.
 *
 * @param location a directory's absolute path, or the addresses of coordinators
 * @param nodes how many a cluster gets that is opened in this JVM; without it, it must exist
 * @param keys the folder with the keys for {@code tls:} addresses
 */
record ClusterSettings(String location, OptionalInt nodes, Optional<Path> keys) {

  private static final String PREFIX = "fs.millrace.";
  private static final String LOCATION = "location";

  static ClusterSettings of(URI uri, Configuration configuration) throws IOException {
    Keys keys = new Keys(uri.getAuthority(), configuration);
    Optional<Path> folder = keys.value("keys").map(Path::of);
    Optional<String> nodes = keys.value("nodes");
    return new ClusterSettings(
        canonical(location(uri, keys, folder.isPresent())),
        nodes.isPresent() ? OptionalInt.of(number(nodes.get())) : OptionalInt.empty(),
        folder);
  }

  private static String location(URI uri, Keys keys, boolean encrypted) throws IOException {
    String authority = uri.getAuthority();
    if (authority == null) {
      return keys.value(LOCATION)
          .or(() -> Optional.ofNullable(System.getenv(Launch.ADDRESS)))
          .orElseThrow(() -> new IOException(uri + " names no cluster: set " + PREFIX + LOCATION));
    }
    Optional<String> named = keys.own(LOCATION);
    if (named.isEmpty() && uri.getPort() < 0) {
      throw new IOException("%s: set %s to its directory or address".formatted(uri, keys.name()));
    }
    return named.orElse((encrypted ? "tls:" : "tcp:") + authority);
  }

  /** A directory's path without dots, from the root; an address as it is. */
  private static String canonical(String location) {
    return location.matches("(unix|tcp|tls):.*")
        ? location
        : Path.of(location).toAbsolutePath().normalize().toString();
  }

  private static int number(String text) throws IOException {
    try {
      return Integer.parseInt(text.strip());
    } catch (NumberFormatException e) {
      throw new IOException("%snodes: '%s' is not a number".formatted(PREFIX, text), e);
    }
  }

  /** What the configuration says for one authority. */
  private record Keys(@Nullable String authority, Configuration configuration) {

    String name() {
      return PREFIX + "cluster." + authority + "." + LOCATION;
    }

    Optional<String> own(String key) {
      return authority == null
          ? Optional.empty()
          : Optional.ofNullable(
              configuration.getTrimmed(PREFIX + "cluster." + authority + "." + key));
    }

    Optional<String> value(String key) {
      return own(key).or(() -> Optional.ofNullable(configuration.getTrimmed(PREFIX + key)));
    }
  }
}
