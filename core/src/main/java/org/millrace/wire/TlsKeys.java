package org.millrace.wire;

import java.util.List;
import javax.net.ssl.SSLContext;

/**
 * Keys for both sides of TLS connections, and the hosts that their certificate names. Immutable.
 *
 * @param context makes the connections
 * @param hosts names and numbers of the hosts at which a process may listen with these keys; a
 *     client refuses a server that it has called by any other. Empty in keys of a user who only
 *     connects
 */
public record TlsKeys(SSLContext context, List<String> hosts) {

  /** Copies the list. */
  public TlsKeys {
    hosts = List.copyOf(hosts);
  }
}
