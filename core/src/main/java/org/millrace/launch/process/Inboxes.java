package org.millrace.launch.process;

import java.io.IOException;
import java.util.Map;
import org.millrace.daemon.ServerOptions;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.launch.Launch;
import org.millrace.wire.Address;
import org.millrace.wire.HostName;
import org.millrace.wire.TlsKeys;

/** Chooses the address at which a rank listens whose cluster is elsewhere. Stateless. */
final class Inboxes {

  private static final String LOOPBACK = "127.0.0.1";

  private Inboxes() {}

  /**
   * The same options with an address for this rank: the one that they have, else that of {@link
   * Launch#LISTEN}, else one that is reached as the coordinator's is, on the same host or from
   * other hosts.
   */
  static ServerOptions beside(
      Address coordinator, ServerOptions options, Map<String, String> environment)
      throws IOException {
    if (options.address().isPresent()) {
      return options;
    }
    String said = environment.getOrDefault(Launch.LISTEN, "").strip();
    if (!said.isEmpty()) {
      return options.withAddress(parse(said));
    }
    return switch (coordinator) {
      case Address.Unix _ -> options; // a socket of its own
      case Address.Tcp tcp when tcp.tls() && options.transport().security().tls().isPresent() -> {
        TlsKeys keys = options.transport().security().tls().get();
        yield options.withAddress(new Address.Tcp(HostName.beside(tcp, keys), 0, true));
      }
      case Address.Tcp tcp -> options.withAddress(new Address.Tcp(LOOPBACK, 0, tcp.tls()));
    };
  }

  private static Address parse(String said) throws MillraceException {
    try {
      return Address.parse(said);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(ErrorCode.INVALID, Launch.LISTEN + ": " + e.getMessage(), e);
    }
  }
}
