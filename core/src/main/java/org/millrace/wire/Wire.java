package org.millrace.wire;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One end of a stream of bytes between two processes. Reading and writing never wait: who wants to
 * know when there is something to do gives the wire to a {@link Hub}, or waits itself where {@link
 * #canAwait} says so.
 *
 * <p>One thread reads and one thread writes at a time; they may be different ones. Closing is done
 * by any thread, is idempotent, and ends the other end, too.
 */
public interface Wire extends AutoCloseable {

  /** Has a hub watch it; called once, before anything else. */
  void attach(Hub hub, Hub.Watcher watcher);

  /** Who is at the other end; known once something was read. */
  Identity identity();

  /** Whether both ends are processes of one user on one host, so that they may share memory. */
  boolean isNeighbour();

  /** Whether bytes could be altered on the way unnoticed, so that frames need sums. */
  boolean needsSums();

  /** Reads what is there. 0: nothing now; -1: the other end has closed. */
  int read(ByteBuffer into) throws IOException;

  /** Writes what there is room for, of buffers in this order; returns how many bytes that were. */
  long write(ByteBuffer[] from, int first, int count) throws IOException;

  /** Lets the hub say when there is room to write. */
  void wantRoom();

  /** Whether a thread may wait for bytes itself. */
  default boolean canAwait() {
    return false;
  }

  /**
   * Waits until there may be bytes, or room to write, or until it was closed or {@code nanos} have
   * passed. One thread at a time, and only while {@link Hub.Watcher#isHelped} says that one does.
   */
  default void await(boolean forRoom, long nanos) throws IOException {
    throw new UnsupportedOperationException("await");
  }

  /** Lets the hub look for bytes again that it has left to a thread which waited itself. */
  default void resume() {}

  @Override
  void close();
}
