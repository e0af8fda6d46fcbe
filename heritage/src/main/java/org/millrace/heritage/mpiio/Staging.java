package org.millrace.heritage.mpiio;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.millrace.client.Memory;

/**
 * Room for an access as it lies in the file, in parts that hold whole elements. One access is one
 * transfer of all parts: in atomic mode nobody sees it half done, and collective writes end in the
 * order of ranks, however long it is.
 *
 * @param parts the room, in order
 */
record Staging(List<Part> parts) {

  /** About how long a part is. */
  static final long PART_BYTES = 8L << 20;

  /**
   * Some elements.
   *
   * @param from position of its first byte
   * @param segment its bytes
   */
  record Part(long from, MemorySegment segment) {

    long to() {
      return from + segment.byteSize();
    }
  }

  /** Room for these elements. */
  static Staging of(Signature inFile) {
    List<Part> parts = new ArrayList<>();
    for (long from = 0; from < inFile.bytes(); ) {
      long to = inFile.boundary(Math.min(inFile.bytes(), from + PART_BYTES));
      if (to == from) { // an element of a program's own that is longer
        to = inFile.bytesOf(inFile.elementsIn(from) + 1);
      }
      parts.add(new Part(from, MemorySegment.ofArray(new byte[(int) (to - from)])));
      from = to;
    }
    return new Staging(parts);
  }

  Memory memory() {
    return Memory.of(parts.stream().map(Part::segment).toList());
  }
}
