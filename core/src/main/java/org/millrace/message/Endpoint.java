package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.access.group.BlockSpans;

/**
 * The receiving end of a {@link Link}: a node, the coordinator, a rank's mailbox. An endpoint
 * implements the operations that it offers; the others are refused. Methods run on the caller's
 * thread in one JVM and on a connection's thread otherwise, many at a time.
 */
public interface Endpoint {

  /**
   * Handles a request. {@code payload} is memory of the sender that the endpoint may read or fill
   * until it has replied. It may reply after this method has returned.
   */
  void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo);

  /**
   * Copies what {@code key} holds at {@code offset} to {@code into}; returns how many bytes there
   * were before its end.
   */
  default long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
      throws IOException {
    throw new UnsupportedOperationException("get");
  }

  /** Copies bytes to {@code offset} of what {@code key} names. */
  default void onPut(Peer from, long key, long offset, MemorySegment source, long at, long length)
      throws IOException {
    throw new UnsupportedOperationException("put");
  }

  /**
   * Whether a get or put of this range would be done now without waiting for a disk. A guess: a
   * wrong one only takes time.
   */
  default boolean isReady(long key, long offset, long length) {
    return true;
  }

  /** Whether a request would be answered now without waiting for a disk. A guess, likewise. */
  default boolean isReady(Message request) {
    return false;
  }

  /** Lends blocks to a sender of this JVM, as {@link Link#lend} says. */
  default @Nullable Lent onLend(Peer from, long key, BlockSpans blocks, boolean write) {
    return null;
  }

  /** Moves pointer {@code key} on, as {@link Link#advance} says. */
  default long onAdvance(Peer from, long key, long delta, long floor, long limit)
      throws IOException {
    throw new UnsupportedOperationException("advance");
  }

  /** Whether there is a pointer {@code key}. Never waits. */
  default boolean hasPointer(long key) {
    return false;
  }

  /**
   * Twice how often any pointer was set so far, rather than moved on; odd while one is being set.
   * It orders what clients know of a pointer: a move after which it is the same as before happened
   * between those settings.
   */
  default long stamp() {
    return 0;
  }

  /** Hints that a range will be read soon. Never waits, never fails. */
  default void onHint(Peer from, long key, long offset, long length) {}

  /** The peer's session has ended: no request of it follows, and its resources are released. */
  default void onSessionEnd(Peer from, String reason) {}

  /** Whether no request of an ended session can still change this endpoint's state. */
  default boolean isSettled() {
    return true;
  }
}
