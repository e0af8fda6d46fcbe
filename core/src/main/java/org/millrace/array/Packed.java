package org.millrace.array;

import java.lang.foreign.MemorySegment;
import org.millrace.access.Pattern;
import org.millrace.access.Runs;
import org.millrace.copy.Kernels;

/**
 * Copies between memory where bytes lie side by side and the places that a pattern selects.
 * Stateless.
 */
final class Packed {

  private Packed() {}

  /** Brings packed bytes to their places. */
  static void scatter(MemorySegment packed, MemorySegment memory, Pattern places) {
    Runs runs = places.runs(0, places.size());
    while (runs.next()) {
      long length = runs.length();
      Kernels.copy(
          packed,
          runs.position(),
          length,
          memory,
          runs.offset(),
          runs.stride(),
          length,
          runs.count());
    }
  }

  /** Packs bytes from their places. */
  static void gather(MemorySegment memory, Pattern places, MemorySegment packed) {
    Runs runs = places.runs(0, places.size());
    while (runs.next()) {
      long length = runs.length();
      Kernels.copy(
          memory,
          runs.offset(),
          runs.stride(),
          packed,
          runs.position(),
          length,
          length,
          runs.count());
    }
  }
}
