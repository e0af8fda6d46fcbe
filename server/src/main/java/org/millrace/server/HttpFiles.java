package org.millrace.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.millrace.env.Env;
import org.millrace.files.FileTree;

/**
 * A server of the files of a cluster over HTTP, for one user: clients act as that user. See {@code
 * docs/http.md}.
 *
 * <p>Safe for use by several threads. Closing lets requests under way end for a moment, cuts the
 * rest, and leaves the tree open; it is idempotent.
 */
public final class HttpFiles implements HttpService {

  private final Listener listener;

  private HttpFiles(Listener listener) {
    this.listener = listener;
  }

  /**
   * Begins to serve.
   *
   * @throws IOException if the address is taken, or if it would let in others than it should
   */
  public static HttpFiles start(Env env, FileTree tree, ServeOptions options) throws IOException {
    return new HttpFiles(
        Listener.start(env, options, watch -> new FilesHandler(env, tree, options, watch)));
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
