package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;

/**
 * A link to an endpoint that could not be reached: every request fails with the reason. Immutable;
 * nothing to close.
 *
 * @param reason what every call throws, each time anew
 */
public record BrokenLink(MillraceException reason) implements Link {

  @Override
  public Pending start(Message request, Payload payload) {
    return new Pending() {
      @Override
      public boolean isDone() {
        return true;
      }

      @Override
      public Message await(long deadlineNanos) throws IOException {
        throw reason.again();
      }

      @Override
      public void whenDone(Runnable then) {
        then.run();
      }
    };
  }

  @Override
  public long get(
      long key, long offset, MemorySegment into, long at, long length, long timeoutNanos)
      throws IOException {
    throw reason.again();
  }

  @Override
  public void put(
      long key, long offset, MemorySegment source, long at, long length, long timeoutNanos)
      throws IOException {
    throw reason.again();
  }

  @Override
  public long advance(long key, long delta, long floor, long limit, long timeoutNanos)
      throws IOException {
    throw reason.again();
  }

  @Override
  public void hint(long key, long offset, long length) {}

  @Override
  public boolean isBroken() {
    return true;
  }

  @Override
  public boolean isConnected() {
    return false;
  }

  @Override
  public void close() {}
}
