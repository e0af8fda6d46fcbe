package org.millrace.server;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.millrace.files.FileStatus;
import org.millrace.output.Json;

/**
 * One request and its answer. No wait for the client is longer than the limits allow. Used by one
 * thread, for as long as the request takes.
 */
final class Call {

  private static final String JSON = "application/json";
  private static final int SKIP_BYTES = 64 << 10;

  private final HttpExchange exchange;
  private final PeerWatch watch;
  private final ServeLimits limits;
  private final Target target;
  private boolean answered;

  Call(HttpExchange exchange, Target target, PeerWatch watch, ServeLimits limits) {
    this.exchange = exchange;
    this.target = target;
    this.watch = watch;
    this.limits = limits;
  }

  Target target() {
    return target;
  }

  ServeLimits limits() {
    return limits;
  }

  boolean isHead() {
    return exchange.getRequestMethod().equals("HEAD");
  }

  Headers headers() {
    return exchange.getRequestHeaders();
  }

  Optional<String> header(String name) {
    return Optional.ofNullable(headers().getFirst(name));
  }

  Conditions conditions() throws Refusal {
    return Conditions.of(headers());
  }

  /** Sets a header of the answer. */
  void set(String name, String value) {
    exchange.getResponseHeaders().set(name, value);
  }

  /** Sets what is said of every file. */
  void describe(FileStatus status) {
    set("ETag", Tags.of(status));
    set("Last-Modified", Tags.date(status));
  }

  /** Refuses a body where none has a meaning. */
  void requireNoBody() throws IOException {
    if (receive(new byte[1], 0, 1) >= 0) {
      throw new Refusal(Statuses.BAD_REQUEST, "this request has no body");
    }
  }

  /** Bytes of the body, at least one; -1 at its end. */
  int receive(byte[] into, int from, int length) throws IOException {
    InputStream body = exchange.getRequestBody();
    return watch.within(limits.stallNanos(), () -> body.read(into, from, length));
  }

  /**
   * Fills a buffer.
   *
   * @return how many bytes; fewer than there is room for only at the end of the body
   */
  int receiveAll(byte[] into, int length) throws IOException {
    int filled = 0;
    while (filled < length) {
      int got = receive(into, filled, length - filled);
      if (got < 0) {
        break;
      }
      filled += got;
    }
    return filled;
  }

  /**
   * Reads what is left of the body, up to a number of bytes, before an error is answered: a client
   * that still sends when its connection is closed may never see the answer. If there is more, the
   * answer says that the connection ends.
   */
  void skipBody(int most) throws IOException {
    byte[] nowhere = new byte[SKIP_BYTES];
    int skipped = 0;
    while (skipped < most) {
      int got = receive(nowhere, 0, nowhere.length);
      if (got < 0) {
        return;
      }
      skipped += got;
    }
    set("Connection", "close");
  }

  /** Answers without a body. */
  void answer(int status) throws IOException {
    begin(status, -1);
  }

  /** Answers with JSON. */
  void answer(int status, Object json) throws IOException {
    answer(status, JSON, (Json.of(json) + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Answers with a text of some type. */
  void answer(int status, String type, byte[] text) throws IOException {
    set("Content-Type", type);
    begin(status, text.length);
    send(text, 0, text.length);
  }

  /** Begins an answer with a body of so many bytes, for {@link #send}; -1 for none. */
  void begin(int status, long length) throws IOException {
    answered = true;
    boolean hasBody = length > 0 && !isHead();
    if (isHead() && length >= 0) {
      set("Content-Length", Long.toString(length));
    }
    watch.<@Nullable Void>within(
        limits.stallNanos(),
        () -> {
          exchange.sendResponseHeaders(status, hasBody ? length : -1);
          return null;
        });
  }

  /** Sends bytes of the body; to nowhere if the request wants none. */
  void send(byte[] bytes, int from, int length) throws IOException {
    if (isHead()) {
      return;
    }
    OutputStream body = exchange.getResponseBody();
    watch.<@Nullable Void>within(
        limits.stallNanos(),
        () -> {
          body.write(bytes, from, length);
          return null;
        });
  }

  /** Whether an answer has begun, after which an error can only cut the connection. */
  boolean isAnswered() {
    return answered;
  }

  /** Ends the exchange; the connection stays for the next one if both sides are done. */
  void finish() throws IOException {
    watch.<@Nullable Void>within(
        limits.stallNanos(),
        () -> {
          exchange.close();
          return null;
        });
  }
}
