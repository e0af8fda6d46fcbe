package org.millrace.wire;

import java.net.InetAddress;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Rules for the addresses at which a process may listen and to which it may connect: nothing goes
 * beyond this host without TLS. Pure; uses no sockets.
 */
public final class Listening {

  private Listening() {}

  /**
   * Refuses an address that is not safe to listen at.
   *
   * @param at the address as it was asked for
   * @param resolved what its host stands for
   */
  public static void checkListen(Address.Tcp at, InetAddress resolved, Security security)
      throws MillraceException {
    check(at, resolved, security, "listen at");
  }

  /**
   * Whether to listen at all addresses of this host: a name of this host that stands for a loopback
   * address here, as Debian has it in /etc/hosts, stands for another one everywhere else. With TLS
   * that is safe, as every peer must show a certificate. "localhost" means this host alone.
   */
  static boolean isEverywhere(Address.Tcp at, InetAddress resolved) {
    return at.tls()
        && resolved.isLoopbackAddress()
        && !Address.isNumber(at.host())
        && !HostName.isLocalhost(at.host());
  }

  /** As {@link #checkListen}, for connecting: the secret is never used beyond this host. */
  public static void checkConnect(Address.Tcp to, InetAddress resolved, Security security)
      throws MillraceException {
    check(to, resolved, security, "connect to");
  }

  private static void check(
      Address.Tcp address, InetAddress resolved, Security security, String how)
      throws MillraceException {
    if (address.tls()) {
      if (security.tls().isEmpty()) {
        throw refused(how, address, "no keys were given (--keys); millrace keys init makes some");
      }
      return;
    }
    if (!resolved.isLoopbackAddress()) {
      throw refused(
          how,
          address,
          "it lies beyond this host; use tls:%s and keys (millrace keys init)"
              .formatted(address.toString().substring("tcp:".length())));
    }
    if (security.secret().isEmpty()) {
      throw refused(how, address, "there is no secret to prove; use a unix: address");
    }
  }

  private static MillraceException refused(String how, Address address, String reason) {
    return new MillraceException(
        ErrorCode.REFUSED, "will not " + how + " " + address + ": " + reason);
  }
}
