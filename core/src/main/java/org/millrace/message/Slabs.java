package org.millrace.message;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The memory of the other side that this side may touch, by number. Used by the thread that reads
 * the connection.
 */
final class Slabs {

  /** Bytes that the name of a piece takes: number, offset, length. */
  static final int NAME_BYTES = 4 + 8 + 8;

  /** More than any sender needs. */
  static final int MOST = 64;

  private final Map<Integer, MemorySegment> slabs = new HashMap<>();

  void add(int number, MemorySegment slab) throws MillraceException {
    if (slabs.size() == MOST) {
      throw new MillraceException(ErrorCode.PROTOCOL, "more than " + MOST + " shared slabs");
    }
    slabs.put(number, slab);
  }

  MemorySegment find(int number, long offset, long length) throws MillraceException {
    MemorySegment slab = slabs.get(number);
    if (slab == null
        || offset < 0
        || length < 0
        || offset > slab.byteSize()
        || length > slab.byteSize() - offset) {
      throw new MillraceException(
          ErrorCode.PROTOCOL,
          "no shared memory of %d bytes at %d of slab %d".formatted(length, offset, number));
    }
    return slab.asSlice(offset, length);
  }
}
