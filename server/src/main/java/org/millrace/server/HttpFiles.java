package org.millrace.server;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.millrace.env.Env;
import org.millrace.files.FileTree;

/**
 * A server of the files of a cluster over HTTP, for one user: clients act as that user. See {@code
 * docs/http.md}.
 *
 * <p>Safe for use by several threads. Closing lets requests under way end for a moment, cuts the
 * rest, and leaves the tree open; it is idempotent.
 */
public final class HttpFiles implements AutoCloseable {

  private static final int BACKLOG = 128;
  private static final int LAST_SECONDS = 2;

  private final HttpServer server;
  private final PeerWatch watch;
  private final String base;
  private final AtomicBoolean closed = new AtomicBoolean();

  private HttpFiles(HttpServer server, PeerWatch watch, String base) {
    this.server = server;
    this.watch = watch;
    this.base = base;
  }

  /**
   * Begins to serve.
   *
   * @throws IOException if the address is taken, or if it would let in others than it should
   */
  public static HttpFiles start(Env env, FileTree tree, ServeOptions options) throws IOException {
    options.check();
    limitHeads(options.limits());
    InetSocketAddress address = options.address();
    HttpServer server =
        options.tls().isPresent()
            ? secure(HttpsServer.create(address, BACKLOG), options.tls().get().context())
            : HttpServer.create(address, BACKLOG);
    PeerWatch watch = PeerWatch.start(env);
    server.setExecutor(new Workers(env, watch, options.limits()));
    server.createContext("/", new FilesHandler(env, tree, options, watch));
    server.start();
    String host = address.getHostString(); // by this name the certificate knows it
    String base =
        "%s://%s:%d"
            .formatted(
                options.tls().isPresent() ? "https" : "http",
                host.contains(":") ? "[" + host + "]" : host,
                server.getAddress().getPort());
    return new HttpFiles(server, watch, base);
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

  /** Where it listens. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  /** Where clients find it. */
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
