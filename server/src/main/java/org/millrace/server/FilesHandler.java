package org.millrace.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.files.FileTree;
import org.millrace.output.Json;

/**
 * Takes every request: lets the client in, has the request answered, and turns failures into
 * answers. Safe for use by several threads.
 */
final class FilesHandler implements HttpHandler {

  private static final String METHODS = "GET, HEAD, PUT, PATCH, POST, DELETE";

  private static final int SKIPPED_BYTES = 16 << 20;
  private static final int STRANGERS_BYTES = 64 << 10;

  // constant after construction
  private final PeerWatch watch;
  private final ServeLimits limits;
  private final Access access;
  private final Readings readings;
  private final Writings writings;
  private final Namings namings;

  FilesHandler(Env env, FileTree tree, ServeOptions options, PeerWatch watch) {
    this.watch = watch;
    this.limits = options.limits();
    this.access = new Access(options.token(), options.user());
    Replacement replacement = new Replacement(env, tree);
    this.readings = new Readings(env, tree);
    this.writings = new Writings(env, tree, replacement);
    this.namings = new Namings(tree, replacement);
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    watch.end(); // the head of the request is here
    Target nowhere = new Target(List.of(), Map.of());
    Call call = new Call(exchange, nowhere, watch, limits);
    try {
      access.check(exchange);
      call = new Call(exchange, Target.of(exchange.getRequestURI()), watch, limits);
      answer(exchange.getRequestMethod(), call);
    } catch (IOException e) {
      fail(call, e);
    } catch (IllegalArgumentException | ArithmeticException e) {
      fail(call, new Refusal(Statuses.BAD_REQUEST, String.valueOf(e.getMessage())));
    } finally {
      call.finish();
    }
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

  /** Says what failed; if the answer has begun, or the client is gone, the connection is cut. */
  private static void fail(Call call, IOException e) throws IOException {
    if (call.isAnswered() || isOfConnection(e)) {
      throw e;
    }
    call.skipBody(Statuses.of(e) == Statuses.UNAUTHORIZED ? STRANGERS_BYTES : SKIPPED_BYTES);
    String reason = e.getMessage();
    call.answer(
        Statuses.of(e),
        Json.object(
            "code", Statuses.code(e), "message", reason == null ? "no reason was given" : reason));
  }

  private static boolean isOfConnection(IOException e) {
    return !(e instanceof Refusal) && !(e instanceof MillraceException);
  }
}
