package org.millrace.heritage.mpiio;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
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
    boolean write,
    Where where,
    long offset,
    @Nullable Object buffer,
    long count,
    @Nullable Datatype type) {

  /** Where an access goes. */
  enum Where {
    /** To an explicit offset. */
    OFFSET,
    /** To the rank's own pointer. */
    POINTER,
    /** To the group's pointer, first come, first served or in order of rank. */
    SHARED
  }

  /**
   * The call's data: which bytes of the memory, and what they mean.
   *
   * @param segment the program's buffer
   * @param pattern its bytes, in the order of the type map
   * @param type what the program gave
   * @param signature the elements as they lie in memory
   * @param inFile the same as they lie in the file
   */
  record Data(
      MemorySegment segment,
      Pattern pattern,
      Datatype type,
      Signature signature,
      Signature inFile) {

    /** How many bytes they have in the file. */
    long fileBytes() {
      return inFile.bytes();
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
    if (type == null) {
      throw new MpiFileException(ErrorClass.TYPE, "there is no datatype");
    }
    MemorySegment segment = Buffers.segment(buffer, count);
    Data data = data(segment, type, datarep);
    Pattern pattern = data.pattern;
    if (pattern.size() > 0 && (pattern.first() < 0 || pattern.end() > segment.byteSize())) {
      throw new MpiFileException(
          ErrorClass.BUFFER,
          "bytes %s to %s of a buffer of %s"
              .formatted(pattern.first(), pattern.end(), segment.byteSize()));
    }
    checkReachable(segment, later);
    return data;
  }

  private Data data(MemorySegment segment, Datatype of, Datarep datarep) throws MpiFileException {
    try {
      Signature signature = Signature.repeat(count, of.signature());
      Datatype inFile = datarep.inFile(of);
      return new Data(
          segment,
          of.repeated(count),
          of,
          signature,
          inFile == of ? signature : Signature.repeat(count, inFile.signature()));
    } catch (MpiArgumentException e) {
      throw MpiFileException.of(e);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new MpiFileException(
          ErrorClass.COUNT, "count %s of %s: %s".formatted(count, of, e.getMessage()));
    }
  }

  private void checkReachable(MemorySegment segment, boolean later) throws MpiFileException {
    Thread toucher = later ? Env.ANY_THREAD : Thread.currentThread();
    boolean readOnly = !write && segment.isReadOnly();
    if (readOnly || !segment.scope().isAlive() || !segment.isAccessibleBy(toucher)) {
      throw new MpiFileException(
          ErrorClass.BUFFER,
          readOnly
              ? "cannot read into read-only memory"
              : "the buffer is closed, or belongs to another thread's confined arena");
    }
  }
}
