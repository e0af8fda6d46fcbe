package org.millrace.sim.hunt;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;

/** An endpoint that forwards to another one; the base of endpoints with planted bugs. */
class ForwardingEndpoint implements Endpoint {

  private final Endpoint real;

  ForwardingEndpoint(Endpoint real) {
    this.real = real;
  }

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    real.onRequest(from, request, payload, replyTo);
  }

  @Override
  public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
      throws IOException {
    return real.onGet(from, key, offset, into, at, length);
  }

  @Override
  public void onPut(Peer from, long key, long offset, MemorySegment source, long at, long length)
      throws IOException {
    real.onPut(from, key, offset, source, at, length);
  }

  @Override
  public boolean isReady(Message request) {
    return real.isReady(request);
  }

  @Override
  public boolean isReady(long key, long offset, long length) {
    return real.isReady(key, offset, length);
  }

  @Override
  public long onAdvance(Peer from, long key, long delta, long floor, long limit)
      throws IOException {
    return real.onAdvance(from, key, delta, floor, limit);
  }

  @Override
  public long stamp() {
    return real.stamp();
  }

  @Override
  public void onHint(Peer from, long key, long offset, long length) {
    real.onHint(from, key, offset, length);
  }

  @Override
  public void onSessionEnd(Peer from, String why) {
    real.onSessionEnd(from, why);
  }

  @Override
  public boolean isSettled() {
    return real.isSettled();
  }
}
