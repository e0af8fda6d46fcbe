package org.millrace.coordinator;

import java.io.IOException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;

/**
 * A coordinator that answers only while its {@link Lease} is valid. The lease is looked at when an
 * answer is known and about to go out: until that moment no other coordinator had answered
 * anything, so the answer was right then, however long it takes to arrive.
 *
 * <p>Safe for use by several threads, as the coordinator is.
 *
 * @param coordinator that answers
 * @param lease its right to
 */
public record LeasedEndpoint(Endpoint coordinator, Lease lease) implements Endpoint {

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    coordinator.onRequest(from, request, payload, new LeasedReply(replyTo, lease));
  }

  @Override
  public long onAdvance(Peer from, long key, long delta, long floor, long limit)
      throws IOException {
    try {
      return coordinator.onAdvance(from, key, delta, floor, limit);
    } finally {
      check(); // in place of an error, too
    }
  }

  private void check() throws MillraceException {
    if (!lease.awaitValid()) {
      throw new MillraceException(ErrorCode.CLOSED, "this coordinator does not lead any more");
    }
  }

  @Override
  public long stamp() {
    return coordinator.stamp();
  }

  @Override
  public void onHint(Peer from, long key, long offset, long length) {
    coordinator.onHint(from, key, offset, length);
  }

  @Override
  public boolean isReady(Message request) {
    return coordinator.isReady(request);
  }

  @Override
  public void onSessionEnd(Peer from, String reason) {
    coordinator.onSessionEnd(from, reason);
  }

  @Override
  public boolean isSettled() {
    return coordinator.isSettled();
  }

  private record LeasedReply(ReplyTo to, Lease lease) implements ReplyTo {

    @Override
    public Moving onMoved(long bytes, long pieces) {
      return to.onMoved(bytes, pieces);
    }

    @Override
    public void release() {
      to.release();
    }

    @Override
    public long request() {
      return to.request();
    }

    @Override
    public long heard() {
      return to.heard();
    }

    @Override
    public void reply(Message reply) {
      lease.whenValid(() -> to.reply(reply));
    }

    @Override
    public void fail(MillraceException error) {
      lease.whenValid(() -> to.fail(error));
    }
  }
}
