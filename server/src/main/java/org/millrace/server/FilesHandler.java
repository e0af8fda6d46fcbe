package org.millrace.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import org.millrace.env.Env;
import org.millrace.files.FileTree;

/**
 * Takes every request for files: lets the client in and has the request answered. Safe for use by
 * several threads.
 */
final class FilesHandler implements HttpHandler {

  private static final String METHODS = "GET, HEAD, PUT, PATCH, POST, DELETE";

  // constant after construction
  private final Answering answering;
  private final Access access;
  private final Readings readings;
  private final Writings writings;
  private final Namings namings;

  FilesHandler(Env env, FileTree tree, ServeOptions options, PeerWatch watch) {
    this.answering = new Answering(watch, options.limits());
    this.access = new Access(options.token(), options.user());
    Replacement replacement = new Replacement(env, tree);
    this.readings = new Readings(env, tree);
    this.writings = new Writings(env, tree, replacement);
    this.namings = new Namings(tree, replacement);
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    answering.run(
        exchange,
        new Answering.Work() {
          @Override
          public Target target() throws IOException {
            access.check(exchange);
            return Target.of(exchange.getRequestURI());
          }

          @Override
          public void answer(Call call) throws IOException {
            FilesHandler.this.answer(exchange.getRequestMethod(), call);
          }
        });
  }

  private void answer(String method, Call call) throws IOException {
    switch (method) {
      case "GET", "HEAD" -> readings.read(call);
      case "PUT" -> writings.put(call);
      case "PATCH" -> writings.patch(call);
      case "POST" -> namings.post(call);
      case "DELETE" -> namings.delete(call);
      default -> {
        call.set("Allow", METHODS);
        throw new Refusal(Statuses.METHOD_NOT_ALLOWED, "the methods here are " + METHODS);
      }
    }
  }
}
