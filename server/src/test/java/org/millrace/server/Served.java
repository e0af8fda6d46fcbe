package org.millrace.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.millrace.Cluster;
import org.millrace.env.Env;
import org.millrace.files.FileTree;

/** A server on a cluster in this JVM, and clients of it. Safe for use by several threads. */
final class Served implements AutoCloseable {

  static final String TOKEN = "0123456789abcdef0123456789abcdef";
  static final String USER = "miller";

  private final Cluster cluster;
  private final FileTree tree;
  private final HttpFiles files;
  private final HttpClient client;

  Served(Path folder) throws IOException {
    this(folder, ServeLimits.USUAL);
  }

  Served(Path folder, ServeLimits limits) throws IOException {
    this.cluster = Cluster.embedded(folder.resolve("cluster"), 2);
    this.tree = cluster.files();
    this.files = start(tree, limits);
    this.client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  private static HttpFiles start(FileTree tree, ServeLimits limits) throws IOException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return HttpFiles.start(
        Env.real(), tree, ServeOptions.local(any, TOKEN, USER).withLimits(limits));
  }

  /** A second server of the same files. */
  HttpFiles another() throws IOException {
    return start(tree, ServeLimits.USUAL);
  }

  FileTree tree() {
    return tree;
  }

  String url() {
    return files.url();
  }

  HttpResponse<byte[]> send(String method, String path) throws IOException {
    return send(method, path, new byte[0], request -> request);
  }

  HttpResponse<byte[]> send(String method, String path, String body) throws IOException {
    return send(method, path, body.getBytes(StandardCharsets.UTF_8), request -> request);
  }

  HttpResponse<byte[]> send(
      String method, String path, byte[] body, UnaryOperator<HttpRequest.Builder> more)
      throws IOException {
    return send(files.url(), method, path, body, more);
  }

  HttpResponse<byte[]> send(
      String url, String method, String path, byte[] body, UnaryOperator<HttpRequest.Builder> more)
      throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + "/files/" + path))
            .header("Authorization", "Bearer " + TOKEN)
            .method(
                method,
                body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    try {
      return client.send(more.apply(request).build(), BodyHandlers.ofByteArray());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** The text of a file, or of whatever the server says instead. */
  String text(String path) throws IOException {
    return new String(send("GET", path).body(), StandardCharsets.UTF_8);
  }

  /** A connection of its own. */
  Socket socket() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), files.address().getPort());
  }

  /** Sends raw text and reads all that comes back until the server closes the connection. */
  String raw(String request) throws IOException {
    try (Socket socket = socket()) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
      return rest(socket);
    }
  }

  /** All that comes until the end; a connection that is cut has ended, too. */
  static String rest(Socket socket) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] buffer = new byte[4096];
    try {
      for (int got; (got = socket.getInputStream().read(buffer)) >= 0; ) {
        all.write(buffer, 0, got);
      }
    } catch (java.net.SocketException e) {
      // reset: it has ended
    }
    return all.toString(StandardCharsets.ISO_8859_1);
  }

  /** The head of a request, with the token. */
  static String head(String method, String target, String... headers) {
    StringBuilder text = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: x\r\n");
    text.append("Authorization: Bearer ").append(TOKEN).append("\r\n");
    for (String header : headers) {
      text.append(header).append("\r\n");
    }
    return text.append("\r\n").toString();
  }

  @Override
  public void close() throws IOException {
    client.close();
    files.close();
    tree.close();
    cluster.close();
  }
}
