package org.millrace;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply.Exchanged;
import org.millrace.protocol.CoordinatorRequest.Meet;
import org.millrace.protocol.Effect.Exchange;

/**
 * A rank's link to the coordinator that tells it of the others' requests everything but whether
 * strands are remote: of that it hears only what it said itself, as if nobody had exchanged it.
 */
record ForgetfulLink(Link link) implements Link {

  @Override
  public Pending start(Message request, Payload payload) {
    Pending pending = link.start(request, payload);
    return request instanceof Meet meet && meet.effect() instanceof Exchange own
        ? new Forgetful(pending, own.remote())
        : pending;
  }

  private record Forgetful(Pending pending, boolean remote) implements Pending {

    @Override
    public boolean isDone() {
      return pending.isDone();
    }

    @Override
    public Message await(long deadlineNanos) throws IOException {
      Exchanged all = (Exchanged) pending.await(deadlineNanos);
      return new Exchanged(
          all.accesses(), all.reachable(), remote, all.mapped(), all.size(), all.array());
    }

    @Override
    public void abandon() {
      pending.abandon();
    }

    @Override
    public boolean isAnswered() {
      return pending.isAnswered();
    }
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
