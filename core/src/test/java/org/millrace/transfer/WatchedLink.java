package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.protocol.NodeRequest;

/**
 * A link to a node that tells of requests before it sends them.
 *
 * @param real the link
 * @param before told of each request
 * @param connected whether the node is said to be reached
 */
record WatchedLink(Link real, Before before, BooleanSupplier connected) implements Link {

  /** What happens before a request is sent. */
  interface Before {
    void sent(NodeRequest request) throws IOException;
  }

  @Override
  public Pending start(Message request, Payload payload) {
    try {
      before.sent((NodeRequest) request);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return real.start(request, payload);
  }

  @Override
  public long get(long key, long offset, MemorySegment into, long at, long length, long timeout)
      throws IOException {
    return real.get(key, offset, into, at, length, timeout);
  }

  @Override
  public void put(long key, long offset, MemorySegment from, long at, long length, long timeout)
      throws IOException {
    real.put(key, offset, from, at, length, timeout);
  }

  @Override
  public long advance(long key, long delta, long floor, long limit, long timeout)
      throws IOException {
    return real.advance(key, delta, floor, limit, timeout);
  }

  @Override
  public void hint(long key, long offset, long length) {
    real.hint(key, offset, length);
  }

  @Override
  public long maxPayloadBytes() {
    return real.maxPayloadBytes();
  }

  @Override
  public @Nullable MappedSlabs reached() {
    return real.reached();
  }

  @Override
  public boolean isConnected() {
    return connected.getAsBoolean() && real.isConnected();
  }

  @Override
  public boolean beginWriteInto(MappedSlabs into) {
    return real.beginWriteInto(into);
  }

  @Override
  public void endWriteInto(boolean counts) {
    real.endWriteInto(counts);
  }

  @Override
  public void close() {
    real.close();
  }
}
