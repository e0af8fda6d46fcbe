package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * One sender's way to one {@link Endpoint}. Requests are answered; the three one-sided verbs {@link
 * #get}, {@link #put} and {@link #advance} name memory or a pointer at the other side by a number
 * and need no message object, so that in one JVM the smallest accesses allocate nothing; they take
 * a time span rather than an instant, so that they need not read the clock either. Requests started
 * by one thread are handed over in the order in which they were started.
 *
 * <p>Safe for use by several threads. Closing ends the sender's session at the endpoint.
 */
public interface Link extends AutoCloseable {

  /** Sends a request and waits for its answer. */
  default Message call(Message request, MemorySegment payload, long deadlineNanos)
      throws IOException {
    return start(request, payload).await(deadlineNanos);
  }

  /** Sends a request without waiting. The payload belongs to the request until it is answered. */
  Pending start(Message request, MemorySegment payload);

  /**
   * Reads at most {@code length} bytes of {@code key} at {@code offset}; returns how many lie
   * before its end.
   */
  long get(long key, long offset, MemorySegment into, long at, long length, long timeoutNanos)
      throws IOException;

  /** Writes {@code length} bytes at {@code offset} of {@code key}. */
  void put(long key, long offset, MemorySegment source, long at, long length, long timeoutNanos)
      throws IOException;

  /**
   * Moves a shared pointer on in one step and returns where the taken range starts: {@code start =
   * max(pointer, floor)}, {@code pointer = min(start + delta, max(start, limit))}.
   */
  long advance(long key, long delta, long floor, long limit, long timeoutNanos) throws IOException;

  /** Says that a range will be wanted soon. Never waits, never fails. */
  void hint(long key, long offset, long length);

  /**
   * How large the payload of a request may be: there is no bound where nothing is sent. Gets and
   * puts may be of any length everywhere.
   */
  default long mostPayloadBytes() {
    return Long.MAX_VALUE;
  }

  /** Whether nothing will ever get through it again, so that a fresh link is needed. */
  default boolean isBroken() {
    return false;
  }

  /** Ends the session. Idempotent. */
  @Override
  void close();
}
