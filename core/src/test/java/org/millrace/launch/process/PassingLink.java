package org.millrace.launch.process;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.message.Link;

/** A link that passes on what a test does not change. */
interface PassingLink extends Link {

  /** The real one. */
  Link link();

  @Override
  default long get(
      long key, long offset, MemorySegment into, long at, long length, long timeoutNanos)
      throws IOException {
    return link().get(key, offset, into, at, length, timeoutNanos);
  }

  @Override
  default void put(
      long key, long offset, MemorySegment source, long at, long length, long timeoutNanos)
      throws IOException {
    link().put(key, offset, source, at, length, timeoutNanos);
  }

  @Override
  default long advance(long key, long delta, long floor, long limit, long timeoutNanos)
      throws IOException {
    return link().advance(key, delta, floor, limit, timeoutNanos);
  }

  @Override
  default void hint(long key, long offset, long length) {
    link().hint(key, offset, length);
  }

  @Override
  default long maxPayloadBytes() {
    return link().maxPayloadBytes();
  }

  @Override
  default boolean isBroken() {
    return link().isBroken();
  }

  @Override
  default void close() {
    link().close();
  }
}
