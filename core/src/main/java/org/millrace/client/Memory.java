package org.millrace.client;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.millrace.env.Env;

/**
 * The caller's memory of one transfer: one or more segments, taken one after the other. Checked at
 * the door: it must be writable where bytes are read into it, and reachable by the threads that
 * will touch it.
 */
record Memory(List<MemorySegment> segments, long length) {

  static Memory of(MemorySegment segment) {
    return new Memory(List.of(segment), segment.byteSize());
  }

  static Memory of(List<MemorySegment> segments) {
    long length = 0;
    for (MemorySegment one : segments) {
      length = Math.addExact(length, one.byteSize());
    }
    return new Memory(List.copyOf(segments), length);
  }

  /**
   * Memory that bytes will be read into, by this thread or, if {@code others}, by operation
   * threads.
   */
  static MemorySegment requireTarget(MemorySegment segment, boolean others) {
    if (segment.isReadOnly()) {
      throw new IllegalArgumentException("cannot read into read-only memory: " + segment);
    }
    return requireSource(segment, others);
  }

  /** Memory that bytes will be written from. */
  static MemorySegment requireSource(MemorySegment segment, boolean others) {
    if (!segment.scope().isAlive()) {
      throw new IllegalStateException("the memory was already closed: " + segment);
    }
    Thread toucher = others ? Env.ANY_THREAD : Thread.currentThread();
    if (!segment.isAccessibleBy(toucher)) {
      throw new WrongThreadException(
          others
              ? "an asynchronous call needs memory of a shared or automatic arena, not of a confined one"
              : "this memory belongs to another thread's confined arena");
    }
    return segment;
  }
}
