package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.access.group.BlockSpans;

/**
 * A connection of one sender to one {@link Endpoint}. Requests are answered. The three one-sided
 * operations {@link #get}, {@link #put} and {@link #advance} name memory or a pointer of the other
 * side by a number and need no message object, so that the smallest accesses allocate nothing in
 * one JVM. They take a time span rather than a deadline, so that they need not read the clock
 * either. Requests of one thread are delivered in the order in which they were started.
 *
 * <p>Safe for use by several threads. Closing ends the sender's session at the endpoint.
 */
public interface Link extends AutoCloseable {

  /** Sends a request and waits for its answer. */
  default Message call(Message request, MemorySegment payload, long deadlineNanos)
      throws IOException {
    return start(request, payload).await(deadlineNanos);
  }

  /** As {@link #start(Message, Payload)}, with a whole segment as payload. */
  default Pending start(Message request, MemorySegment payload) {
    return start(request, Payload.of(payload));
  }

  /**
   * Sends a request without waiting for its answer. The payload belongs to the request until it is
   * answered or abandoned.
   *
   * <p>The payload may have any size if the request can be divided. How it gets to the other side
   * is the link's affair: in one JVM the endpoint touches it where it lies; between processes the
   * link cuts the request into parts, packs the bytes of each or has them named in shared memory,
   * and keeps a few parts under way. The thread that waits for the answer does that work, so
   * several requests under way are best awaited by {@link Pending#advance}, each in turn.
   */
  Pending start(Message request, Payload payload);

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

  /**
   * Whether a shared pointer is there now, if memory shows that which this process maps. False if
   * it takes a message to find out.
   */
  default boolean seesPointer(long key) {
    return false;
  }

  /** Says that a range will be wanted soon. Never waits, never fails. */
  void hint(long key, long offset, long length);

  /**
   * Whether a get or put of this range would be done now, in this JVM and without waiting for a
   * disk. A guess: a wrong one only takes time.
   */
  default boolean isReady(long key, long offset, long length) {
    return false;
  }

  /**
   * Blocks of {@code key} in the memory of this JVM, for a sender that copies by itself; null if
   * the endpoint is elsewhere, or not all of them are in memory and free now.
   */
  default @Nullable Lent lend(long key, BlockSpans blocks, boolean write) {
    return null;
  }

  /**
   * How large the payload of a request may be: there is no bound where nothing is sent. Gets and
   * puts may be of any length everywhere.
   */
  default long maxPayloadBytes() {
    return Long.MAX_VALUE;
  }

  /** Memory of the endpoint's process that this process can map; null if it cannot. */
  default @Nullable MappedSlabs reached() {
    return null;
  }

  /** Whether nothing will ever get through it again, so that a fresh link is needed. */
  default boolean isBroken() {
    return false;
  }

  /**
   * Whether the endpoint can be reached now, as far as is known. If it cannot, it may be there
   * again soon, or have ended: what is shared with it in memory must not be used meanwhile.
   */
  default boolean isConnected() {
    return true;
  }

  /**
   * Begins a write into memory of the endpoint that no message tells it of. False if it must not be
   * made: the endpoint may have ended.
   *
   * @param into what was {@link #reached} when that memory was mapped
   */
  default boolean beginWriteInto(MappedSlabs into) {
    return reached() == into && isConnected();
  }

  /**
   * Ends a write that was begun so.
   *
   * @param counts whether the endpoint sees it
   */
  default void endWriteInto(boolean counts) {}

  /** Ends the session. Idempotent. */
  @Override
  void close();
}
