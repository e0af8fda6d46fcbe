package org.millrace.heritage.mpiio;

import java.lang.foreign.MemorySegment;
import org.millrace.access.Pattern;
import org.millrace.client.Memory;
import org.millrace.env.Env;

/**
 * A data access as it was called. Immutable, except for the memory.
 *
 * @param write or read
 * @param where it goes
 * @param offset in etypes, if it goes to an explicit one
 * @param buffer the origin of the memory
 * @param count how many of the type
 * @param type what lies in the memory, and where
 */
record Call(
    boolean write, Where where, long offset, MemorySegment buffer, long count, Datatype type) {

  /** Where an access goes. */
  enum Where {
    /** To an explicit offset. */
    OFFSET,
    /** To the rank's own pointer. */
    POINTER,
    /** To the group's pointer, first come, first served or in order of rank. */
    SHARED
  }

  /** The call's data: which bytes of the memory, and what they mean. */
  record Data(MemorySegment segment, Pattern pattern, Signature signature, boolean swaps) {

    long bytes() {
      return pattern.size();
    }

    Memory memory() {
      return Memory.of(segment, pattern);
    }
  }

  /**
   * Checks the memory.
   *
   * @param later whether other threads will touch it
   */
  Data data(Datarep datarep, boolean later) throws MpiFileException {
    if (count < 0) {
      throw new MpiFileException(ErrorClass.COUNT, "count " + count + " is negative");
    }
    Pattern pattern;
    Signature signature;
    try {
      pattern = type.repeated(count);
      signature = Signature.repeat(count, type.signature());
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new MpiFileException(
          ErrorClass.COUNT, "count %d of %s: %s".formatted(count, type, e.getMessage()));
    }
    if (pattern.size() > 0 && (pattern.first() < 0 || pattern.end() > buffer.byteSize())) {
      throw new MpiFileException(
          ErrorClass.BUFFER,
          "bytes %d to %d of a buffer of %d"
              .formatted(pattern.first(), pattern.end(), buffer.byteSize()));
    }
    Thread toucher = later ? Env.ANY_THREAD : Thread.currentThread();
    boolean readOnly = !write && buffer.isReadOnly();
    if (readOnly || !buffer.scope().isAlive() || !buffer.isAccessibleBy(toucher)) {
      throw new MpiFileException(
          ErrorClass.BUFFER,
          readOnly
              ? "cannot read into read-only memory"
              : "the buffer is closed, or belongs to another thread's confined arena");
    }
    return new Data(buffer, pattern, signature, datarep.swaps(signature));
  }
}
