package org.millrace.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsExchange;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.millrace.wire.Identity;
import org.millrace.wire.Tls;

/**
 * Who is let in: clients that show the token, and, under TLS, those with a certificate of the user
 * whose files these are. Immutable.
 */
final class Access {

  private static final String SCHEME = "bearer ";

  private final byte[] token;
  private final String user;

  Access(String token, String user) {
    this.token = token.getBytes(StandardCharsets.UTF_8);
    this.user = user;
  }

  /** Refuses a client with 401, and does not say why. */
  void check(HttpExchange exchange) throws Refusal {
    if (!isAdmitted(exchange)) {
      refuse(exchange);
    }
  }

  /** Whether a client shows the token or, without any, a certificate. */
  boolean isAdmitted(HttpExchange exchange) {
    List<String> shown = exchange.getRequestHeaders().get("Authorization");
    return shown == null
        ? hasCertificate(exchange)
        : shown.size() == 1 && isBearer(shown.getFirst());
  }

  /** Refuses with 401. */
  static void refuse(HttpExchange exchange) throws Refusal {
    exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer realm=\"millrace\"");
    throw new Refusal(
        Statuses.UNAUTHORIZED, "send the header Authorization: Bearer, with the server's token");
  }

  private boolean isBearer(String header) {
    return header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && isToken(header.substring(SCHEME.length()).strip());
  }

  /** Takes as long for a token that is wrong in its first character as in its last. */
  boolean isToken(String shown) {
    return MessageDigest.isEqual(token, shown.getBytes(StandardCharsets.UTF_8));
  }

  private boolean hasCertificate(HttpExchange exchange) {
    if (!(exchange instanceof HttpsExchange secure)) {
      return false;
    }
    try {
      Identity peer = Tls.identity(secure.getSSLSession());
      return peer.isKnown() && peer.user().equals(user);
    } catch (SSLPeerUnverifiedException e) {
      return false; // it has shown none
    }
  }
}
