package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The calls that move bytes and return when they have moved. Positions are bytes of the rank's
 * view. Each call returns how many bytes moved: all of them, or, when reading, fewer where the file
 * ends; memory beyond those is not touched.
 *
 * <p>There is one verb for each place an access can go to: {@code At} an explicit position; where
 * the mode says (plain {@code read} and {@code write}); the group's {@code Shared} pointer, first
 * come, first served; the group's pointer in {@code Ordered} turns, lower ranks first. Verbs that
 * end in {@code All} are collective: all ranks call, and if one fails all fail; without {@code At}
 * they go to the rank's own pointer.
 *
 * <p>Memory is a segment (heap segments such as {@code MemorySegment.ofArray(double[])} included),
 * several segments one after the other, a byte array, or a buffer from its position to its limit,
 * whose position moves on by the result.
 */
public interface BlockingAccess {

  /** Reads at an explicit position. */
  long readAt(long position, MemorySegment into) throws IOException;

  /** Reads at an explicit position, into several segments. */
  long readAt(long position, Memory into) throws IOException;

  /** As {@link #readAt(long, Memory)}, several segments one after the other. */
  default long readAt(long position, List<MemorySegment> into) throws IOException {
    return readAt(position, Memory.of(into));
  }

  /** Writes at an explicit position. */
  long writeAt(long position, MemorySegment from) throws IOException;

  /** Writes at an explicit position, from several segments. */
  long writeAt(long position, Memory from) throws IOException;

  /** As {@link #writeAt(long, Memory)}, several segments one after the other. */
  default long writeAt(long position, List<MemorySegment> from) throws IOException {
    return writeAt(position, Memory.of(from));
  }

  /** Reads where the mode says. */
  long read(MemorySegment into) throws IOException;

  /** Reads where the mode says, into several segments. */
  long read(Memory into) throws IOException;

  /** As {@link #read(Memory)}, several segments one after the other. */
  default long read(List<MemorySegment> into) throws IOException {
    return read(Memory.of(into));
  }

  /** Writes where the mode says. */
  long write(MemorySegment from) throws IOException;

  /** Writes where the mode says, from several segments. */
  long write(Memory from) throws IOException;

  /** As {@link #write(Memory)}, several segments one after the other. */
  default long write(List<MemorySegment> from) throws IOException {
    return write(Memory.of(from));
  }

  /** Reads at the group's pointer, first come, first served. */
  long readShared(Memory into) throws IOException;

  /** As {@link #readShared(Memory)}, several segments one after the other. */
  default long readShared(List<MemorySegment> into) throws IOException {
    return readShared(Memory.of(into));
  }

  /** As {@link #readShared(List)}. */
  default long readShared(MemorySegment into) throws IOException {
    return readShared(List.of(into));
  }

  /** As {@link #readShared(List)}. */
  default long readShared(byte[] into) throws IOException {
    return readShared(MemorySegment.ofArray(into));
  }

  /** As {@link #readShared(List)}. */
  default long readShared(ByteBuffer into) throws IOException {
    return moveOn(into, readShared(MemorySegment.ofBuffer(into)));
  }

  /** Writes at the group's pointer, first come, first served. */
  long writeShared(Memory from) throws IOException;

  /** As {@link #writeShared(Memory)}, several segments one after the other. */
  default long writeShared(List<MemorySegment> from) throws IOException {
    return writeShared(Memory.of(from));
  }

  /** As {@link #writeShared(List)}. */
  default long writeShared(MemorySegment from) throws IOException {
    return writeShared(List.of(from));
  }

  /** As {@link #writeShared(List)}. */
  default long writeShared(byte[] from) throws IOException {
    return writeShared(MemorySegment.ofArray(from));
  }

  /** As {@link #writeShared(List)}. */
  default long writeShared(ByteBuffer from) throws IOException {
    return moveOn(from, writeShared(MemorySegment.ofBuffer(from)));
  }

  /** Reads at the group's pointer in order of rank. Synchronizing. */
  long readOrdered(Memory into) throws IOException;

  /** As {@link #readOrdered(Memory)}, several segments one after the other. */
  default long readOrdered(List<MemorySegment> into) throws IOException {
    return readOrdered(Memory.of(into));
  }

  /** As {@link #readOrdered(List)}. */
  default long readOrdered(MemorySegment into) throws IOException {
    return readOrdered(List.of(into));
  }

  /** As {@link #readOrdered(List)}. */
  default long readOrdered(byte[] into) throws IOException {
    return readOrdered(MemorySegment.ofArray(into));
  }

  /** As {@link #readOrdered(List)}. */
  default long readOrdered(ByteBuffer into) throws IOException {
    return moveOn(into, readOrdered(MemorySegment.ofBuffer(into)));
  }

  /** Writes at the group's pointer in order of rank. Synchronizing. */
  long writeOrdered(Memory from) throws IOException;

  /** As {@link #writeOrdered(Memory)}, several segments one after the other. */
  default long writeOrdered(List<MemorySegment> from) throws IOException {
    return writeOrdered(Memory.of(from));
  }

  /** As {@link #writeOrdered(List)}. */
  default long writeOrdered(MemorySegment from) throws IOException {
    return writeOrdered(List.of(from));
  }

  /** As {@link #writeOrdered(List)}. */
  default long writeOrdered(byte[] from) throws IOException {
    return writeOrdered(MemorySegment.ofArray(from));
  }

  /** As {@link #writeOrdered(List)}. */
  default long writeOrdered(ByteBuffer from) throws IOException {
    return moveOn(from, writeOrdered(MemorySegment.ofBuffer(from)));
  }

  /** Reads at an explicit position of each rank. Collective. */
  long readAtAll(long position, Memory into) throws IOException;

  /** As {@link #readAtAll(long, Memory)}, several segments one after the other. */
  default long readAtAll(long position, List<MemorySegment> into) throws IOException {
    return readAtAll(position, Memory.of(into));
  }

  /** As {@link #readAtAll(long, List)}. */
  default long readAtAll(long position, MemorySegment into) throws IOException {
    return readAtAll(position, List.of(into));
  }

  /** As {@link #readAtAll(long, List)}. */
  default long readAtAll(long position, byte[] into) throws IOException {
    return readAtAll(position, MemorySegment.ofArray(into));
  }

  /** As {@link #readAtAll(long, List)}. */
  default long readAtAll(long position, ByteBuffer into) throws IOException {
    return moveOn(into, readAtAll(position, MemorySegment.ofBuffer(into)));
  }

  /** Writes at an explicit position of each rank. Collective. */
  long writeAtAll(long position, Memory from) throws IOException;

  /** As {@link #writeAtAll(long, Memory)}, several segments one after the other. */
  default long writeAtAll(long position, List<MemorySegment> from) throws IOException {
    return writeAtAll(position, Memory.of(from));
  }

  /** As {@link #writeAtAll(long, List)}. */
  default long writeAtAll(long position, MemorySegment from) throws IOException {
    return writeAtAll(position, List.of(from));
  }

  /** As {@link #writeAtAll(long, List)}. */
  default long writeAtAll(long position, byte[] from) throws IOException {
    return writeAtAll(position, MemorySegment.ofArray(from));
  }

  /** As {@link #writeAtAll(long, List)}. */
  default long writeAtAll(long position, ByteBuffer from) throws IOException {
    return moveOn(from, writeAtAll(position, MemorySegment.ofBuffer(from)));
  }

  /** Reads at each rank's own pointer. Collective. */
  long readAll(Memory into) throws IOException;

  /** As {@link #readAll(Memory)}, several segments one after the other. */
  default long readAll(List<MemorySegment> into) throws IOException {
    return readAll(Memory.of(into));
  }

  /** As {@link #readAll(List)}. */
  default long readAll(MemorySegment into) throws IOException {
    return readAll(List.of(into));
  }

  /** As {@link #readAll(List)}. */
  default long readAll(byte[] into) throws IOException {
    return readAll(MemorySegment.ofArray(into));
  }

  /** As {@link #readAll(List)}. */
  default long readAll(ByteBuffer into) throws IOException {
    return moveOn(into, readAll(MemorySegment.ofBuffer(into)));
  }

  /** Writes at each rank's own pointer. Collective. */
  long writeAll(Memory from) throws IOException;

  /** As {@link #writeAll(Memory)}, several segments one after the other. */
  default long writeAll(List<MemorySegment> from) throws IOException {
    return writeAll(Memory.of(from));
  }

  /** As {@link #writeAll(List)}. */
  default long writeAll(MemorySegment from) throws IOException {
    return writeAll(List.of(from));
  }

  /** As {@link #writeAll(List)}. */
  default long writeAll(byte[] from) throws IOException {
    return writeAll(MemorySegment.ofArray(from));
  }

  /** As {@link #writeAll(List)}. */
  default long writeAll(ByteBuffer from) throws IOException {
    return moveOn(from, writeAll(MemorySegment.ofBuffer(from)));
  }

  /** As {@link #readAt(long, MemorySegment)}. */
  default long readAt(long position, byte[] into) throws IOException {
    return readAt(position, MemorySegment.ofArray(into));
  }

  /** As {@link #writeAt(long, MemorySegment)}. */
  default long writeAt(long position, byte[] from) throws IOException {
    return writeAt(position, MemorySegment.ofArray(from));
  }

  /** As {@link #read(MemorySegment)}. */
  default long read(byte[] into) throws IOException {
    return read(MemorySegment.ofArray(into));
  }

  /** As {@link #write(MemorySegment)}. */
  default long write(byte[] from) throws IOException {
    return write(MemorySegment.ofArray(from));
  }

  /** As {@link #readAt(long, MemorySegment)}. */
  default long readAt(long position, ByteBuffer into) throws IOException {
    return moveOn(into, readAt(position, MemorySegment.ofBuffer(into)));
  }

  /** As {@link #writeAt(long, MemorySegment)}. */
  default long writeAt(long position, ByteBuffer from) throws IOException {
    return moveOn(from, writeAt(position, MemorySegment.ofBuffer(from)));
  }

  /** As {@link #read(MemorySegment)}. */
  default long read(ByteBuffer into) throws IOException {
    return moveOn(into, read(MemorySegment.ofBuffer(into)));
  }

  /** As {@link #write(MemorySegment)}. */
  default long write(ByteBuffer from) throws IOException {
    return moveOn(from, write(MemorySegment.ofBuffer(from)));
  }

  private static long moveOn(ByteBuffer buffer, long moved) {
    buffer.position(buffer.position() + Math.toIntExact(moved));
    return moved;
  }
}
