package org.millrace.transfer;

import java.lang.foreign.MemorySegment;
import org.millrace.access.Places;
import org.millrace.access.Runs;
import org.millrace.copy.Kernels;

/** Copies bytes between their places in memory and memory where they lie packed. */
final class PlacedCopy {

  private PlacedCopy() {}

  /** Packs the first {@code size} bytes from their places, from {@code at} on. */
  static void pack(MemorySegment memory, Places places, long size, MemorySegment packed, long at) {
    if (places.isPacked()) {
      MemorySegment.copy(memory, places.start(), packed, at, size);
      return;
    }
    long first = places.from();
    Runs runs = places.pattern().runs(first, first + size);
    while (runs.next()) {
      Kernels.copy(
          memory,
          runs.offset(),
          runs.stride(),
          packed,
          at + runs.position() - first,
          runs.length(),
          runs.length(),
          runs.count());
    }
  }

  /** Deals packed bytes out to the places of the first {@code size}. */
  static void unpack(MemorySegment packed, MemorySegment memory, Places places, long size) {
    if (places.isPacked()) {
      MemorySegment.copy(packed, 0, memory, places.start(), size);
      return;
    }
    long first = places.from();
    Runs runs = places.pattern().runs(first, first + size);
    while (runs.next()) {
      Kernels.copy(
          packed,
          runs.position() - first,
          runs.length(),
          memory,
          runs.offset(),
          runs.stride(),
          runs.length(),
          runs.count());
    }
  }
}
