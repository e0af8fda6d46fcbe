package org.millrace.wire;

import java.util.Optional;

/**
 * How the two ends of a wire authenticate each other. Unix-domain sockets need nothing: the kernel
 * identifies the peer. TCP within this host needs the cluster's secret, TCP beyond it TLS.
 *
 * @param secret what both ends of a plain TCP connection prove to know; empty if there is none:
 *     then plain TCP is refused
 * @param tls keys for TLS in both roles; empty if there are none: then TLS is refused
 */
public record Security(Optional<Secret> secret, Optional<TlsKeys> tls) {

  /** Unix-domain sockets alone. */
  public static final Security LOCAL = new Security(Optional.empty(), Optional.empty());

  /** The same with a secret. */
  public Security withSecret(Secret newSecret) {
    return new Security(Optional.of(newSecret), tls);
  }

  /** The same with keys for TLS. */
  public Security withTls(TlsKeys newTls) {
    return new Security(secret, Optional.of(newTls));
  }
}
