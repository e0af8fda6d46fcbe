package org.millrace.client;

import java.lang.foreign.MemorySegment;
import org.millrace.access.Access;
import org.millrace.access.PlacedComb;
import org.millrace.access.Places;
import org.millrace.access.Runs;
import org.millrace.copy.Kernels;

/**
 * A rank's memory in a collective call, where others put pieces and take them from: it knows by
 * itself which bytes of the file it wants and where they belong.
 *
 * <p>Safe for use by several threads as long as they bring different bytes. No state but the
 * memory's.
 */
final class Landing {

  private final Access access;
  private final Memory memory;

  Landing(Access access, Memory memory) {
    this.access = access;
    this.memory = memory;
  }

  Access access() {
    return access;
  }

  Memory memory() {
    return memory;
  }

  /** Takes what is wanted out of {@code bytes}, which lie at {@code offset} in the file. */
  void place(long offset, MemorySegment bytes) {
    eachPart((part, from, to) -> move(part, from, to, offset, bytes, false));
  }

  /** Puts what there is into {@code bytes}, which lie at {@code offset} in the file. */
  void fetch(long offset, MemorySegment bytes) {
    eachPart((part, from, to) -> move(part, from, to, offset, bytes, true));
  }

  /** Puts the bytes at positions from {@code position} on into {@code bytes}, packed. */
  void fetchPacked(long position, MemorySegment bytes) {
    long end = position + bytes.byteSize();
    eachPart(
        (part, from, to) -> {
          long first = Math.max(from, position);
          long last = Math.min(to, end);
          if (first < last) {
            pack(part, first - from, last - first, bytes, first - position);
          }
        });
  }

  private static void pack(
      Memory.Part part, long skipped, long length, MemorySegment bytes, long at) {
    Runs runs = part.pattern().runs(skipped, skipped + length);
    while (runs.next()) {
      Kernels.copy(
          part.segment(),
          runs.offset(),
          runs.stride(),
          bytes,
          at + runs.position() - skipped,
          runs.length(),
          runs.length(),
          runs.count());
    }
  }

  /** A part of the memory, and the positions whose bytes it holds. */
  private interface PartAction {
    void run(Memory.Part part, long from, long to);
  }

  private void eachPart(PartAction action) {
    long from = access.from();
    for (Memory.Part part : memory.parts()) {
      long to = Math.min(access.to(), from + part.size());
      if (from < to) {
        action.run(part, from, to);
      }
      from = to;
    }
  }

  private void move(
      Memory.Part part, long from, long to, long offset, MemorySegment bytes, boolean out) {
    Runs runs = access.view().runs(from, to, offset, offset + bytes.byteSize());
    PlacedComb placed = new PlacedComb();
    placed.reset(new Places(part.pattern(), 0));
    MemorySegment segment = part.segment();
    while (runs.next()) {
      placed.comb(
          runs.position() - from,
          runs.offset() - offset,
          runs.length(),
          runs.stride(),
          runs.count());
      while (placed.next()) {
        if (out) {
          Kernels.copy(
              segment,
              placed.place(),
              placed.placeStride(),
              bytes,
              placed.offset(),
              placed.stride(),
              placed.length(),
              placed.count());
        } else {
          Kernels.copy(
              bytes,
              placed.offset(),
              placed.stride(),
              segment,
              placed.place(),
              placed.placeStride(),
              placed.length(),
              placed.count());
        }
      }
    }
  }
}
