package org.millrace.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.millrace.env.Env;

/**
 * A server of the console: a page that shows a cluster, metrics for Prometheus, and probes. See
 * {@code docs/console.md}.
 *
 * <p>Safe for use by several threads. Closing leaves the source open; it is idempotent.
 */
public final class HttpConsole implements HttpService {

  private final Listener listener;
  private final Logins logins;

  private HttpConsole(Listener listener, Logins logins) {
    this.listener = listener;
    this.logins = logins;
  }

  /**
   * Begins to serve.
   *
   * @param changes whether the page may change the cluster
   * @throws IOException if the address is taken, or if it would let in others than it should
   */
  public static HttpConsole start(
      Env env, ConsoleSource source, ServeOptions options, boolean changes) throws IOException {
    Logins logins = new Logins(env, options.tls().isPresent());
    return new HttpConsole(
        Listener.start(
            env, options, watch -> new ConsoleHandler(source, logins, options, changes, watch)),
        logins);
  }

  /** A link that logs one browser in, once, within ten minutes; earlier links are good no more. */
  public String link() {
    return url() + "/login?once=" + logins.link();
  }

  @Override
  public InetSocketAddress address() {
    return listener.address();
  }

  @Override
  public String url() {
    return listener.url();
  }

  @Override
  public void close() {
    listener.close();
  }
}
