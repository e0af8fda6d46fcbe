package org.millrace.message;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.wire.Pool;

/**
 * Memory that other processes of this host can reach: a payload in it is named instead of sent.
 * Without it payloads are sent through sockets.
 *
 * <p>Safe for use by several threads.
 */
public interface SharedBuffers {

  /** No such memory: everything is in one JVM, or on other hosts, or it is switched off. */
  SharedBuffers NONE =
      new SharedBuffers() {
        @Override
        public long maxBytes() {
          return 0;
        }

        @Override
        public @Nullable MemorySegment tryTake(long bytes) {
          return null;
        }

        @Override
        public long locate(MemorySegment segment) {
          return Pool.NOWHERE;
        }

        @Override
        public void give(MemorySegment segment) {
          throw new IllegalArgumentException("was never taken: " + segment);
        }
      };

  /** The largest piece that can be had, 0 if there is none. */
  long maxBytes();

  /**
   * A piece of exactly so many bytes, of any content, or null if there is no room now. It must be
   * given back.
   */
  @Nullable MemorySegment tryTake(long bytes);

  /** The number that names a segment's place to others, {@link Pool#NOWHERE} if it has none. */
  long locate(MemorySegment segment);

  /** Whether a segment lies in such memory. */
  default boolean holds(MemorySegment segment) {
    return locate(segment) != Pool.NOWHERE;
  }

  /** Gives back what {@link #tryTake} gave. */
  void give(MemorySegment segment);
}
