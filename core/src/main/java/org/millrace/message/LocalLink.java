package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.millrace.access.group.BlockSpans;
import org.millrace.env.Env;
import org.millrace.env.Work;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A link inside one JVM: a message is a method call on the caller's thread, and payloads are not
 * copied. The one-sided operations allocate nothing. They run to their end on the caller's thread,
 * so the endpoint watches their deadlines.
 *
 * <p>Safe for use by several threads. Closing tells the endpoint once that the session is gone; it
 * does not wait for calls under way.
 */
final class LocalLink implements Link {

  private final Env env;
  private final Peer peer;
  private final Endpoint endpoint;
  private final AtomicBoolean closed = new AtomicBoolean();

  LocalLink(Env env, Peer peer, Endpoint endpoint) {
    this.env = env;
    this.peer = peer;
    this.endpoint = endpoint;
  }

  @Override
  public Pending start(Message request, Payload payload) {
    PendingReply pending = new PendingReply(env, request);
    if (closed.get()) {
      pending.fail(closedError());
    } else {
      env.charge(Work.MESSAGE, 1);
      endpoint.onRequest(peer, request, payload, pending);
    }
    return pending;
  }

  @Override
  public long get(
      long key, long offset, MemorySegment into, long at, long length, long timeoutNanos)
      throws IOException {
    checkOpen();
    return endpoint.onGet(peer, key, offset, into, at, length);
  }

  @Override
  public void put(
      long key, long offset, MemorySegment source, long at, long length, long timeoutNanos)
      throws IOException {
    checkOpen();
    endpoint.onPut(peer, key, offset, source, at, length);
  }

  @Override
  public long advance(long key, long delta, long floor, long limit, long timeoutNanos)
      throws IOException {
    checkOpen();
    return endpoint.onAdvance(peer, key, delta, floor, limit);
  }

  @Override
  public void hint(long key, long offset, long length) {
    if (!closed.get()) {
      endpoint.onHint(peer, key, offset, length);
    }
  }

  @Override
  public boolean isReady(long key, long offset, long length) {
    return !closed.get() && endpoint.isReady(key, offset, length);
  }

  @Override
  public boolean seesPointer(long key) {
    return !closed.get() && endpoint.hasPointer(key);
  }

  @Override
  public @Nullable Lent lend(long key, BlockSpans blocks, boolean write) {
    if (closed.get()) {
      return null;
    }
    env.charge(Work.MESSAGE, 1);
    return endpoint.onLend(peer, key, blocks, write);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      endpoint.onSessionEnd(peer, "its link was closed");
    }
  }

  private void checkOpen() throws MillraceException {
    if (closed.get()) {
      throw closedError();
    }
    env.charge(Work.MESSAGE, 1);
  }

  private MillraceException closedError() {
    return new MillraceException(
        ErrorCode.CLOSED, "the link of session " + peer.session() + " is closed");
  }
}
