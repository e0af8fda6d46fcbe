package org.millrace.server;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.millrace.error.MillraceException;
import org.millrace.output.Json;

/**
 * Has a request answered, and turns failures into answers. Immutable; safe for use by several
 * threads.
 *
 * @param watch over clients that are slow
 * @param limits what is spent on clients
 */
record Answering(PeerWatch watch, ServeLimits limits) {

  private static final int SKIPPED_BYTES = 16 << 20;
  private static final int STRANGERS_BYTES = 64 << 10;

  /** What is done with a request. */
  interface Work {
    /** Says what the request is about, after the client was let in. */
    Target target() throws IOException;

    /** Answers. */
    void answer(Call call) throws IOException;
  }

  /** Answers a request, well or not. */
  void run(HttpExchange exchange, Work work) throws IOException {
    watch.end(); // the head of the request is here
    Target nowhere = new Target(List.of(), Map.of());
    Call call = new Call(exchange, nowhere, watch, limits);
    try {
      call = new Call(exchange, work.target(), watch, limits);
      work.answer(call);
    } catch (IOException e) {
      fail(call, e);
    } catch (IllegalArgumentException | ArithmeticException e) {
      fail(call, new Refusal(Statuses.BAD_REQUEST, String.valueOf(e.getMessage())));
    } finally {
      call.finish();
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
