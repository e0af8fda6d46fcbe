package org.millrace.server;

import java.net.InetSocketAddress;
import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.TlsKeys;

/**
 * Where a server listens and whom it lets in.
 *
 * @param address of this host alone, unless there are keys; port 0 lets the system choose
 * @param token what clients show
 * @param tls keys for TLS; a client may then show a certificate of {@code user} instead of the
 *     token
 * @param user for whom it serves
 * @param limits what is spent on clients
 */
public record ServeOptions(
    InetSocketAddress address,
    String token,
    Optional<TlsKeys> tls,
    String user,
    ServeLimits limits) {

  private static final int SHORTEST_TOKEN = 32;

  /** At an address of this host, with the usual limits. */
  public static ServeOptions local(InetSocketAddress address, String token, String user) {
    return new ServeOptions(address, token, Optional.empty(), user, ServeLimits.USUAL);
  }

  /** The same with keys for TLS. */
  public ServeOptions withTls(TlsKeys keys) {
    return new ServeOptions(address, token, Optional.of(keys), user, limits);
  }

  /** The same with other limits. */
  public ServeOptions withLimits(ServeLimits other) {
    return new ServeOptions(address, token, tls, user, other);
  }

  /**
   * Refuses what would let others in.
   *
   * @throws MillraceException REFUSED, with what to do instead
   */
  void check() throws MillraceException {
    if (address.isUnresolved()) {
      throw refused("there is no host of the name " + address.getHostString());
    }
    if (tls.isEmpty() && !address.getAddress().isLoopbackAddress()) {
      throw refused(
          address.getHostString()
              + " lies beyond this host: give keys for TLS (--tls; millrace keys makes them)");
    }
    if (tls.isPresent() && !tls.get().hosts().contains(address.getHostString())) {
      throw refused(
          "the keys are for %s, not for %s; make others with: millrace keys issue --host %s"
              .formatted(tls.get().hosts(), address.getHostString(), address.getHostString()));
    }
    if (token.length() < SHORTEST_TOKEN) {
      throw refused(
          "a token of %s characters can be guessed, must be %s at least"
              .formatted(token.length(), SHORTEST_TOKEN));
    }
  }

  private static MillraceException refused(String why) {
    return new MillraceException(ErrorCode.REFUSED, "will not serve: " + why);
  }

  /** Without the token, which is nobody's business. */
  @Override
  public String toString() {
    return "serving %s for %s".formatted(address, user);
  }
}
