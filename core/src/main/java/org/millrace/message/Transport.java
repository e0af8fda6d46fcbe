package org.millrace.message;

import java.io.IOException;
import org.millrace.env.Env;
import org.millrace.wire.Address;

/**
 * A process's way to other processes: doors at which it listens, links that it makes, and the
 * memory that it shares with its neighbours.
 *
 * <p>Safe for use by several threads. Closing ends all doors and links.
 */
public final class Transport implements AutoCloseable {

  private Transport() {}

  /** A transport whose messages {@code codec} turns into bytes. */
  public static Transport open(Env env, Codec codec, TransportOptions options) {
    throw new UnsupportedOperationException();
  }

  /** Listens. A Unix-domain socket that nobody listens at any more is taken over. */
  public Door listen(Address at) throws IOException {
    throw new UnsupportedOperationException();
  }

  /**
   * A link to the endpoint that is called {@code endpoint} behind a door. It survives lost
   * connections; when the endpoint turns out to be a later one of the same name, it fails with
   * RESTARTED for ever.
   *
   * @throws IOException if nobody answers there before {@code deadlineNanos}, or refuses
   */
  public Link connect(Address to, String endpoint, long deadlineNanos) throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Memory that processes of this host can reach. */
  public Staging staging() {
    return Staging.NONE;
  }

  @Override
  public void close() {}
}
