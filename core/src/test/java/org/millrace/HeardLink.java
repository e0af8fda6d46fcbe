package org.millrace;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Queue;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;

/** A rank's link to the coordinator, of which a test hears every request. */
record HeardLink(Link link, Queue<Message> heard) implements Link {

  @Override
  public Pending start(Message request, Payload payload) {
    heard.add(request);
    return link.start(request, payload);
  }

  @Override
  public long get(
      long key, long offset, MemorySegment into, long at, long length, long timeoutNanos)
      throws IOException {
    return link.get(key, offset, into, at, length, timeoutNanos);
  }

  @Override
  public void put(
      long key, long offset, MemorySegment source, long at, long length, long timeoutNanos)
      throws IOException {
    link.put(key, offset, source, at, length, timeoutNanos);
  }

  @Override
  public long advance(long key, long delta, long floor, long limit, long timeoutNanos)
      throws IOException {
    return link.advance(key, delta, floor, limit, timeoutNanos);
  }

  @Override
  public void hint(long key, long offset, long length) {
    link.hint(key, offset, length);
  }

  @Override
  public long mostPayloadBytes() {
    return link.mostPayloadBytes();
  }

  @Override
  public boolean isBroken() {
    return link.isBroken();
  }

  @Override
  public void close() {
    link.close();
  }
}
