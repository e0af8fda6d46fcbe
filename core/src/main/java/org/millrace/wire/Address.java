package org.millrace.wire;

import java.util.Objects;

/**
 * Where a process listens. {@code toString} gives what {@link #parse} takes: {@code unix:/a/path},
 * {@code tcp:host:port}, {@code tls:host:port}; port 0 lets the system choose. Immutable.
 */
public sealed interface Address {

  /**
   * Longest path of a Unix-domain socket that the JDK takes on Linux; the kernel takes one more.
   */
  int MAX_PATH_BYTES = 106;

  /**
   * A Unix-domain socket.
   *
   * @param path its place in the file system
   */
  record Unix(String path) implements Address {

    /** Checks that there is a path. */
    public Unix {
      if (path.isEmpty()) {
        throw new IllegalArgumentException("a Unix-domain socket needs a path");
      }
    }

    @Override
    public String toString() {
      return "unix:" + path;
    }
  }

  /**
   * A TCP port.
   *
   * @param host a name or number; an IPv6 number without brackets
   * @param port 0 to 65535
   * @param tls whether the connection is encrypted and both sides prove who they are
   */
  record Tcp(String host, int port, boolean tls) implements Address {

    /** Checks the port. */
    public Tcp {
      Objects.requireNonNull(host, "host");
      if (host.isEmpty() || port < 0 || port > 65535) {
        throw new IllegalArgumentException("no TCP address: host '" + host + "', port " + port);
      }
    }

    @Override
    public String toString() {
      return (tls ? "tls:" : "tcp:") + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
  }

  /** Whether a host is given as an IP number; if not, it is a name. */
  static boolean isNumber(String host) {
    return host.contains(":") || host.matches("[0-9]+(\\.[0-9]+){3}");
  }

  /**
   * The address that {@code text} names.
   *
   * @throws IllegalArgumentException if it names none, with what it should look like
   */
  static Address parse(String text) {
    if (text.startsWith("unix:")) {
      return new Unix(text.substring("unix:".length()));
    }
    boolean tls = text.startsWith("tls:");
    int colon = text.lastIndexOf(':');
    if ((tls || text.startsWith("tcp:")) && colon > 4) {
      String host = text.substring(4, colon);
      String port = text.substring(colon + 1);
      if (host.startsWith("[") && host.endsWith("]")) {
        host = host.substring(1, host.length() - 1);
      }
      if (port.matches("[0-9]{1,5}")) {
        return new Tcp(host, Integer.parseInt(port), tls);
      }
    }
    throw new IllegalArgumentException(
        "'" + text + "' is not an address; write unix:/path, tcp:host:port or tls:host:port");
  }
}
