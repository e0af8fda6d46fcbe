package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The answer to a request that came over a connection, with its payload. Only the first answer
 * counts.
 *
 * <p>Safe for use by several threads.
 */
final class Answer implements ReplyTo {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  // constant after construction
  private final ServerSession session;
  private final ReplyCache.ReceivedRequest request;
  private final MemorySegment payload;
  private final PayloadLayout payloadLayout;
  private final Runnable after;

  private final AtomicBoolean given = new AtomicBoolean();
  private final AtomicBoolean freed = new AtomicBoolean();

  /**
   * An answer that is not given yet.
   *
   * @param after called when the payload is no longer needed
   */
  Answer(
      ServerSession session,
      ReplyCache.ReceivedRequest request,
      MemorySegment payload,
      PayloadLayout payloadLayout,
      Runnable after) {
    this.session = session;
    this.request = request;
    this.payload = payload;
    this.payloadLayout = payloadLayout;
    this.after = after;
  }

  @Override
  public void reply(Message reply) {
    Encoder body = new Encoder();
    session.codec().encode(reply, body);
    if (!given.compareAndSet(false, true)) {
      return;
    }
    if (body.size() > FrameHeader.MAX_BODY) {
      free();
      String what =
          "the answer has %s bytes, at most %s can be sent"
              .formatted(body.size(), FrameHeader.MAX_BODY);
      session.fail(request, new MillraceException(ErrorCode.REFUSED, what));
      return;
    }
    if (payloadLayout.direction() != PayloadLayout.Direction.TO_SENDER
        || payloadLayout.bytes() == 0) {
      free();
      session.answer(request, FrameKind.REPLY, body.written(), NOTHING, () -> {});
      return;
    }
    if (!payloadLayout.isPrefix()) {
      Payload.of(payload)
          .pack(payloadLayout, payload); // moves every byte towards the start: never behind
    }
    ByteBuffer bytes = payload.asSlice(0, payloadLayout.bytes()).asByteBuffer();
    session.answer(request, FrameKind.REPLY, body.written(), bytes, this::free);
  }

  @Override
  public long request() {
    return request.frame.id();
  }

  @Override
  public long heard() {
    return request.frame.acknowledged();
  }

  @Override
  public void release() {
    if (payloadLayout.direction() != PayloadLayout.Direction.TO_SENDER) {
      free();
    }
  }

  private void free() {
    if (freed.compareAndSet(false, true)) {
      after.run();
    }
  }

  @Override
  public void fail(MillraceException error) {
    if (given.compareAndSet(false, true)) {
      free();
      session.fail(request, error);
    }
  }

  /** The error that a sender receives for what its request threw. */
  static MillraceException error(Throwable e) {
    return e instanceof IOException
        ? MillraceException.wrap(ErrorCode.DISK, e)
        : new MillraceException(ErrorCode.INVALID, e.toString(), e);
  }
}
