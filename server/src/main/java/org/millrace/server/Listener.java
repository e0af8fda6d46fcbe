package org.millrace.server;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.millrace.env.Env;

/**
 * The JDK's server with our limits: an address of this host alone or TLS, bounded threads, and
 * clients that are too slow are cut.
 *
 * <p>Safe for use by several threads. Closing lets requests under way end for a moment and cuts the
 * rest; it is idempotent.
 */
final class Listener implements HttpService {

  private static final int BACKLOG = 128;
  private static final int LAST_SECONDS = 2;

  private final HttpServer server;
  private final PeerWatch watch;
  private final String base;
  private final AtomicBoolean closed = new AtomicBoolean();

  private Listener(HttpServer server, PeerWatch watch, String base) {
    this.server = server;
    this.watch = watch;
    this.base = base;
  }

  /**
   * Begins to listen.
   *
   * @param handler makes what answers all requests; given the watch over slow clients
   * @throws IOException if the address is taken, or if it would let in others than it should
   */
  static Listener start(Env env, ServeOptions options, Function<PeerWatch, HttpHandler> handler)
      throws IOException {
    options.check();
    limitHeads(options.limits());
    InetSocketAddress address = options.address();
    HttpServer server =
        options.tls().isPresent()
            ? secure(HttpsServer.create(address, BACKLOG), options.tls().get().context())
            : HttpServer.create(address, BACKLOG);
    PeerWatch watch = PeerWatch.start(env);
    server.setExecutor(new Workers(env, watch, options.limits()));
    server.createContext("/", handler.apply(watch));
    server.start();
    String host = address.getHostString(); // by this name the certificate knows it
    String base =
        "%s://%s:%s"
            .formatted(
                options.tls().isPresent() ? "https" : "http",
                host.contains(":") ? "[" + host + "]" : host,
                server.getAddress().getPort());
    return new Listener(server, watch, base);
  }

  /** The JDK's server takes its limits from here, once; what the user has set stays. */
  private static void limitHeads(ServeLimits limits) {
    Map<String, String> settings =
        Map.of(
            "sun.net.httpserver.nodelay", "true",
            "sun.net.httpserver.maxReqHeaders", "64",
            "sun.net.httpserver.maxReqHeaderSize", "32768",
            "jdk.httpserver.maxConnections", Integer.toString(limits.connections()));
    settings.forEach(
        (name, value) -> {
          if (System.getProperty(name) == null) {
            System.setProperty(name, value);
          }
        });
  }

  private static HttpsServer secure(HttpsServer server, SSLContext context) {
    server.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters wanted = getSSLContext().getDefaultSSLParameters();
            wanted.setProtocols(new String[] {"TLSv1.3"});
            wanted.setWantClientAuth(true);
            parameters.setSSLParameters(wanted);
          }
        });
    return server;
  }

  @Override
  public InetSocketAddress address() {
    return server.getAddress();
  }

  @Override
  public String url() {
    return base;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      server.stop(LAST_SECONDS);
      watch.close();
    }
  }
}
