package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Reads and writes with buffers of any kind: what a handle of a file offers to programs that have
 * arrays rather than segments. Implementations say what a call moves and what it counts.
 *
 * <p>Numbers lie in the file in the byte order of this machine. Of a {@link ByteBuffer} the bytes
 * from its position to its limit are used; neither moves. Null fails as memory that cannot be used
 * does: on all ranks where they wait for each other.
 */
public interface BufferAccess {

  /** Reads into a segment; returns how much was read. */
  long read(MemorySegment into) throws IOException;

  /** Writes from a segment; returns how much was written. */
  long write(MemorySegment from) throws IOException;

  /** As {@link #read(MemorySegment)}. */
  default long read(byte[] into) throws IOException {
    return read(Buffers.of(into));
  }

  /** As {@link #read(MemorySegment)}. */
  default long read(int[] into) throws IOException {
    return read(Buffers.of(into));
  }

  /** As {@link #read(MemorySegment)}. */
  default long read(long[] into) throws IOException {
    return read(Buffers.of(into));
  }

  /** As {@link #read(MemorySegment)}. */
  default long read(float[] into) throws IOException {
    return read(Buffers.of(into));
  }

  /** As {@link #read(MemorySegment)}. */
  default long read(double[] into) throws IOException {
    return read(Buffers.of(into));
  }

  /** As {@link #read(MemorySegment)}. */
  default long read(ByteBuffer into) throws IOException {
    return read(Buffers.of(into));
  }

  /** As {@link #write(MemorySegment)}. */
  default long write(byte[] from) throws IOException {
    return write(Buffers.of(from));
  }

  /** As {@link #write(MemorySegment)}. */
  default long write(int[] from) throws IOException {
    return write(Buffers.of(from));
  }

  /** As {@link #write(MemorySegment)}. */
  default long write(long[] from) throws IOException {
    return write(Buffers.of(from));
  }

  /** As {@link #write(MemorySegment)}. */
  default long write(float[] from) throws IOException {
    return write(Buffers.of(from));
  }

  /** As {@link #write(MemorySegment)}. */
  default long write(double[] from) throws IOException {
    return write(Buffers.of(from));
  }

  /** As {@link #write(MemorySegment)}. */
  default long write(ByteBuffer from) throws IOException {
    return write(Buffers.of(from));
  }

  /** An access that is two functions, as of a place that the caller has named. */
  static BufferAccess of(Move read, Move write) {
    return new BufferAccess() {
      @Override
      public long read(MemorySegment into) throws IOException {
        return read.move(into);
      }

      @Override
      public long write(MemorySegment from) throws IOException {
        return write.move(from);
      }
    };
  }

  /** Moves bytes between a file and a segment. */
  @FunctionalInterface
  interface Move {
    /** Moves them; returns how much. */
    long move(MemorySegment segment) throws IOException;
  }
}
