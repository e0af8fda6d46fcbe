package org.millrace;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;

/** Chooses where a rank listens whose cluster is elsewhere. Stateless. */
final class Inboxes {

  private static final String LOOPBACK = "127.0.0.1";

  private Inboxes() {}

  /**
   * The same options with an address that is reached as the coordinator's is, unless they have one:
   * on the same host, or from other hosts.
   */
  static ServerOptions beside(Address coordinator, ServerOptions options) throws MillraceException {
    if (options.address().isPresent()) {
      return options;
    }
    return switch (coordinator) {
      case Address.Unix _ -> options; // a socket of its own
      case Address.Tcp(String _, int _, boolean tls) ->
          options.withAddress(new Address.Tcp(tls ? hostName() : LOOPBACK, 0, tls));
    };
  }

  private static String hostName() throws MillraceException {
    try {
      return InetAddress.getLocalHost().getCanonicalHostName();
    } catch (UnknownHostException e) {
      throw new MillraceException(
          ErrorCode.NODE, "this host has no name; say where to listen: " + e.getMessage(), e);
    }
  }
}
