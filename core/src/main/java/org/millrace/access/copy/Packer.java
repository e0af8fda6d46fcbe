package org.millrace.access.copy;

import java.lang.foreign.MemorySegment;

/**
 * Copies bytes between places in memory: packs, unpacks and distributes. It takes vectors that are
 * regular on both sides. Equal vectors at equal distances are rows of a grid, which {@link Kernels}
 * copies in squares if its sides run in different orders. No two bytes may belong to the same
 * place.
 *
 * <p>Owned by one thread, and to be used again for other memory after {@link #end}.
 */
public final class Packer {

  private MemorySegment source = MemorySegment.NULL;
  private MemorySegment target = MemorySegment.NULL;

  // the grid that is not yet copied
  private long sourceAt;
  private long sourceStride;
  private long sourceOuter;
  private long targetAt;
  private long targetStride;
  private long targetOuter;
  private long length;
  private long count;
  private long rows;

  /** Without memory, to be started. */
  public Packer() {}

  /** Copies so many bytes from their places in one memory to their places in another. */
  public static void copy(
      MemorySegment source, Places from, MemorySegment target, Places to, long bytes) {
    Packer packer = new Packer();
    packer.start(source, target);
    PlacedVector vectors =
        PlacedVector.of(from.pattern().runs(from.from(), from.from() + bytes), from.from(), to);
    while (vectors.next()) {
      packer.vector(
          vectors.offset(),
          vectors.stride(),
          vectors.place(),
          vectors.placeStride(),
          vectors.length(),
          vectors.count());
    }
    packer.end();
  }

  /** The memory of the vectors to come. */
  public void start(MemorySegment newSource, MemorySegment newTarget) {
    source = newSource;
    target = newTarget;
  }

  /** Copies a vector now, or together with the next ones. */
  public void vector(
      long fromAt, long fromStride, long toAt, long toStride, long runLength, long runs) {
    boolean alike =
        rows > 0
            && runLength == length
            && runs == count
            && fromStride == sourceStride
            && toStride == targetStride;
    if (alike && rows == 1) {
      sourceOuter = fromAt - sourceAt;
      targetOuter = toAt - targetAt;
    }
    if (alike && fromAt == sourceAt + rows * sourceOuter && toAt == targetAt + rows * targetOuter) {
      rows++;
      return;
    }
    end();
    sourceAt = fromAt;
    sourceStride = fromStride;
    targetAt = toAt;
    targetStride = toStride;
    length = runLength;
    count = runs;
    rows = 1;
  }

  /** Copies what was not copied yet. */
  public void end() {
    long outerCount = rows;
    rows = 0;
    if (outerCount == 1) {
      Kernels.copy(source, sourceAt, sourceStride, target, targetAt, targetStride, length, count);
    } else if (outerCount > 1) {
      Kernels.copyGrid(
          source,
          sourceAt,
          sourceStride,
          sourceOuter,
          target,
          targetAt,
          targetStride,
          targetOuter,
          length,
          count,
          outerCount);
    }
  }
}
