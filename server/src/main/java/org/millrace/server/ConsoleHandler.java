package org.millrace.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.millrace.output.Json;

/**
 * Takes every request to the console: lets the client in and answers. Without login there are the
 * form for it, its style, and two probes of one word each. Safe for use by several threads.
 */
final class ConsoleHandler implements HttpHandler {

  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";
  private static final String CONFIRMED = "X-Millrace-Confirmed";
  private static final int MAX_FORM_BYTES = 4096;
  private static final int MAX_NODE = 1 << 30;

  // constant after construction
  private final ConsoleSource source;
  private final Logins logins;
  private final Access access;
  private final Answering answering;
  private final boolean changes;
  private final ConsolePages pages = ConsolePages.load();

  ConsoleHandler(
      ConsoleSource source, Logins logins, ServeOptions options, boolean changes, PeerWatch watch) {
    this.source = source;
    this.logins = logins;
    this.access = new Access(options.token(), options.user());
    this.answering = new Answering(watch, options.limits());
    this.changes = changes;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    answering.run(
        exchange,
        new Answering.Work() {
          @Override
          public Target target() throws IOException {
            return Target.ofQuery(exchange.getRequestURI().getRawQuery());
          }

          @Override
          public void answer(Call call) throws IOException {
            protect(call);
            route(exchange, call);
          }
        });
  }

  /** Nothing from elsewhere is loaded, nothing is kept, and no other page may show this one. */
  private static void protect(Call call) {
    call.set(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
            + " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    call.set("X-Content-Type-Options", "nosniff");
    call.set("Referrer-Policy", "no-referrer");
    call.set("Cache-Control", "no-store");
  }

  private void route(HttpExchange exchange, Call call) throws IOException {
    String path = String.valueOf(exchange.getRequestURI().getPath());
    boolean post = exchange.getRequestMethod().equals("POST");
    if (!post && !exchange.getRequestMethod().equals("GET") && !call.isHead()) {
      call.set("Allow", "GET, HEAD, POST");
      throw new Refusal(Statuses.METHOD_NOT_ALLOWED, "the methods here are GET, HEAD and POST");
    }
    if (post) {
      post(exchange, call, path);
    } else {
      get(exchange, call, path);
    }
  }

  private void get(HttpExchange exchange, Call call, String path) throws IOException {
    switch (path) {
      case "/health/live" -> word(call, Statuses.OK, "live");
      case "/health/ready" -> {
        boolean ready = source.isReady();
        word(call, ready ? Statuses.OK : Statuses.UNAVAILABLE, ready ? "ready" : "not ready");
      }
      case "/login" -> loginByLink(exchange, call);
      case "/console.css" -> pages.style().answer(call, Statuses.OK);
      case "/" -> {
        boolean in = isAdmitted(exchange);
        (in ? pages.page() : pages.login()).answer(call, in ? Statuses.OK : Statuses.UNAUTHORIZED);
      }
      default -> {
        if (!isAdmitted(exchange)) {
          Access.refuse(exchange);
        }
        show(call, path);
      }
    }
  }

  private void show(Call call, String path) throws IOException {
    switch (path) {
      case "/console.js" -> pages.script().answer(call, Statuses.OK);
      case "/metrics" ->
          call.answer(Statuses.OK, METRICS, source.metrics().getBytes(StandardCharsets.UTF_8));
      case "/api/state" ->
          call.answer(Statuses.OK, Json.object("changes", changes, "cluster", source.state()));
      case "/api/files" ->
          call.answer(Statuses.OK, source.files(parameter(call, "path"), parameter(call, "after")));
      case "/api/file" -> call.answer(Statuses.OK, source.file(parameter(call, "path")));
      default -> throw new Refusal(Statuses.NOT_FOUND, "there is nothing of this name");
    }
  }

  private static String parameter(Call call, String name) throws Refusal {
    return Target.text(Target.path(call.target().parameter(name).orElse("")));
  }

  private static void word(Call call, int status, String word) throws IOException {
    call.answer(status, TEXT, (word + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private boolean isAdmitted(HttpExchange exchange) {
    return logins.isAdmitted(exchange) || access.isAdmitted(exchange);
  }

  private void loginByLink(HttpExchange exchange, Call call) throws IOException {
    boolean good = call.target().parameter("once").filter(logins::takeLink).isPresent();
    login(exchange, call, good || isAdmitted(exchange));
  }

  private void login(HttpExchange exchange, Call call, boolean good) throws IOException {
    if (!good) {
      pages.login().answer(call, Statuses.UNAUTHORIZED);
      return;
    }
    call.set("Set-Cookie", logins.admit(exchange));
    call.set("Location", "/");
    call.answer(Statuses.SEE_OTHER);
  }

  private void post(HttpExchange exchange, Call call, String path) throws IOException {
    switch (path) {
      case "/login" -> login(exchange, call, hasToken(call));
      case "/api/changes" -> {
        if (!isAdmitted(exchange)) {
          Access.refuse(exchange);
        }
        change(call);
      }
      default -> throw new Refusal(Statuses.NOT_FOUND, "there is nothing of this name");
    }
  }

  private boolean hasToken(Call call) throws IOException {
    byte[] form = new byte[MAX_FORM_BYTES];
    int length = call.receiveAll(form, form.length);
    String text = new String(form, 0, length, StandardCharsets.UTF_8);
    String shown = Target.ofQuery(text).parameter("token").orElse("").strip();
    return access.isToken(shown);
  }

  /**
   * Other sites cannot send that header without being asked first, and are never allowed to; so a
   * change is one that this page has sent.
   */
  private void change(Call call) throws IOException {
    call.requireNoBody();
    if (!changes) {
      throw new Refusal(
          Statuses.FORBIDDEN,
          "this console only shows; start it with --allow-changes to change something");
    }
    if (call.header(CONFIRMED).isEmpty()) {
      throw new Refusal(Statuses.BAD_REQUEST, "a change needs the header " + CONFIRMED);
    }
    call.answer(Statuses.OK, Json.object("done", source.change(wanted(call.target()))));
  }

  private static ConsoleChange wanted(Target target) throws Refusal {
    return switch (target.parameter("do").orElse("")) {
      case "scrub" -> new ConsoleChange.Scrub();
      case "drain" -> new ConsoleChange.Drain(node(target));
      case "use" -> new ConsoleChange.Use(node(target));
      case "remove" -> {
        String path = Target.text(Target.path(target.parameter("path").orElse("")));
        if (path.isEmpty()) {
          throw new Refusal(Statuses.BAD_REQUEST, "the root directory cannot be removed");
        }
        yield new ConsoleChange.Remove(path);
      }
      default -> throw new Refusal(Statuses.BAD_REQUEST, "do is scrub, drain, use or remove");
    };
  }

  private static int node(Target target) throws Refusal {
    return (int) Target.number("node", target.parameter("node").orElse(""), 0, MAX_NODE);
  }
}
