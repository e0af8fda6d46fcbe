package org.millrace.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * The name or IP address by which other hosts reach this one, derived from the route to a server
 * that all of them use. The host's own name cannot be used: on Debian it stands for 127.0.1.1.
 * Stateless.
 */
public final class HostName {

  private HostName() {}

  /**
   * How processes that reach {@code server} reach this host, by a name or number that {@code keys}
   * have if there is one: they refuse all others.
   */
  public static String beside(Address.Tcp server, TlsKeys keys) throws IOException {
    InetAddress source = Sockets.source(server);
    return choose(server.host(), source, keys.hosts(), host -> isHere(host, source));
  }

  /**
   * As {@link #beside}.
   *
   * @param server the server's host as all know it
   * @param source the number from which this host sends to it
   * @param keyHosts for which hosts this process has keys
   * @param isHere whether a name means this host
   */
  static String choose(
      String server, InetAddress source, List<String> keyHosts, Predicate<String> isHere) {
    if (source.isLoopbackAddress()) {
      return server; // it is on this host, and the others have reached it
    }
    String number = source.getHostAddress();
    if (keyHosts.stream().filter(Address::isNumber).anyMatch(host -> isHere.test(host))) {
      return number;
    }
    return keyHosts.stream()
        .filter(host -> !Address.isNumber(host) && !isLocalhost(host))
        .filter(isHere)
        .findFirst()
        .orElse(number);
  }

  /** A name of this host stands for the address that others use, or for a loopback address. */
  private static boolean isHere(String host, InetAddress source) {
    try {
      InetAddress resolved = InetAddress.getByName(host);
      return resolved.equals(source) || resolved.isLoopbackAddress() && !Address.isNumber(host);
    } catch (UnknownHostException e) {
      return false; // keys may name hosts that this one does not know
    }
  }

  /** Whether a name means "this host" on every host. */
  static boolean isLocalhost(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    return name.equals("localhost") || name.endsWith(".localhost") || name.startsWith("localhost.");
  }
}
