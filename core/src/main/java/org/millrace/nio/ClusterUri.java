package org.millrace.nio;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;

/**
 * A URI of a cluster or of a file in it: {@code millrace:LOCATION} or {@code
 * millrace:LOCATION!/PATH}. The location is a directory, or the address of a coordinator such as
 * {@code tls:host:port}. Immutable.
 *
 * @param location a directory's absolute path, or an address
 * @param path in the cluster; {@code /} if the URI has none
 */
record ClusterUri(String location, String path) {

  static final String SCHEME = "millrace";

  static ClusterUri parse(URI uri) {
    if (!SCHEME.equalsIgnoreCase(uri.getScheme())) {
      throw new IllegalArgumentException(uri + " does not begin with " + SCHEME + ":");
    }
    String rest = uri.getSchemeSpecificPart();
    int mark = rest.indexOf("!/");
    String location = mark < 0 ? rest : rest.substring(0, mark);
    if (location.isEmpty() || location.startsWith("//")) {
      throw new IllegalArgumentException(
          uri
              + " names no cluster: expected "
              + SCHEME
              + ":DIRECTORY!/PATH or an address such as "
              + SCHEME
              + ":tls:HOST:PORT!/PATH");
    }
    return new ClusterUri(canonical(location), mark < 0 ? "/" : rest.substring(mark + 1));
  }

  /** A directory's path without dots, from the root; an address as it is. */
  static String canonical(String location) {
    return location.matches("(unix|tcp|tls):.*")
        ? location
        : Path.of(location).toAbsolutePath().normalize().toString();
  }

  static URI of(String location, String path) {
    try {
      return new URI(SCHEME, location + "!" + path, null);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(path + " cannot be written as a URI", e);
    }
  }
}
