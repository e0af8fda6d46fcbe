package org.millrace.wire;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One end of a stream of bytes between two processes. Reading and writing never block. A caller
 * registers the wire with an {@link EventLoop} to learn when it is ready, or waits itself where
 * {@link #canAwait} allows it.
 *
 * <p>One thread reads and one thread writes at a time; they may be different ones. Closing is done
 * by any thread, is idempotent, and ends the other end, too.
 */
public interface Wire extends AutoCloseable {

  /** Registers it with an event loop; called once, before all other methods. */
  void attach(EventLoop loop, EventLoop.Watcher watcher);

  /** The peer's identity; known once something was read. */
  Identity identity();

  /** Whether both ends are processes of one user on one host, so that they may share memory. */
  boolean isNeighbour();

  /** Whether bytes could be altered on the way unnoticed, so that frames need sums. */
  boolean needsSums();

  /** Reads what is there. 0: nothing now; -1: the other end has closed. */
  int read(ByteBuffer into) throws IOException;

  /** Writes as much of the buffers as fits, in this order; returns the number of bytes. */
  long write(ByteBuffer[] from, int first, int count) throws IOException;

  /** Asks the event loop to report when the wire is writable. */
  void wantRoom();

  /** Whether a thread may wait for bytes itself. */
  default boolean canAwait() {
    return false;
  }

  /**
   * Waits until there may be bytes, or room to write, or until it was closed or {@code nanos} have
   * passed. One thread at a time, and only while {@link EventLoop.Watcher#isHelped} says that one
   * does.
   */
  default void await(boolean forRoom, long nanos) throws IOException {
    throw new UnsupportedOperationException("await");
  }

  /** Lets the event loop watch for bytes again after a thread has waited itself. */
  default void resume() {}

  @Override
  void close();
}
