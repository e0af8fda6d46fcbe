package org.millrace.wire;

import java.util.List;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Keys of a process and the authorities that it believes. Immutable.
 *
 * @param keys its own
 * @param trust whom it believes
 * @param hosts as of {@link TlsKeys}
 */
public record TlsManagers(
    X509ExtendedKeyManager keys, X509ExtendedTrustManager trust, List<String> hosts) {

  /** Copies the list. */
  public TlsManagers {
    hosts = List.copyOf(hosts);
  }
}
