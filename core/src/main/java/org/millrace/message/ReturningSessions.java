package org.millrace.message;

import java.nio.charset.StandardCharsets;
import org.millrace.wire.Secret;

/**
 * Lets sessions of an endpoint return to it after it was restarted. Their tokens are sealed with
 * the cluster's secret, so that the next life can check them; numbers of sessions grow from life to
 * life.
 *
 * <p>Safe for use by several threads.
 */
public final class ReturningSessions {

  // constant after construction
  private final Secret secret;
  private final long firstSession;

  private volatile boolean over;

  /**
   * Sessions that return to one life of an endpoint.
   *
   * @param firstSession the number of the first new session; those of all earlier lives are lower
   * @param any whether sessions of earlier lives may return at all
   */
  public ReturningSessions(Secret secret, long firstSession, boolean any) {
    this.secret = secret;
    this.firstSession = firstSession;
    this.over = !any;
  }

  long firstSession() {
    return firstSession;
  }

  /** From now on no session of an earlier life may return. */
  public void end() {
    over = true;
  }

  String token(String endpoint, long session, String user) {
    return secret.seal(text(endpoint, session, user));
  }

  /** Whether a session of an earlier life may return now. */
  boolean admits(Handshake.Hello hello, String user) {
    return !over
        && hello.session() > 0
        && hello.session() < firstSession
        && secret.sealed(text(hello.endpoint(), hello.session(), user), hello.token());
  }

  private static byte[] text(String endpoint, long session, String user) {
    return ("millrace session " + session + " of " + user + " at " + endpoint)
        .getBytes(StandardCharsets.UTF_8);
  }
}
