package org.millrace.message;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The destination of a payload that is received. */
interface Sink {

  /**
   * The memory, from the next byte on, which the caller may fill until {@link #leave}; null if the
   * payload is no longer wanted, and then there is nothing to leave.
   */
  @Nullable ByteBuffer enter();

  /** Ends {@link #enter}. */
  void leave();

  /** The payload will not become complete. */
  void drop();
}
