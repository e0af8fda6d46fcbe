package org.millrace.transfer;

import java.lang.foreign.MemorySegment;
import org.millrace.access.Access;
import org.millrace.access.PlacedComb;
import org.millrace.access.Runs;
import org.millrace.copy.Kernels;
import org.millrace.transfer.Shares.Share;

/**
 * A rank's memory in a collective call, where others put pieces and take them from: it knows by
 * itself which bytes of the file it wants and where they belong.
 *
 * <p>Safe for use by several threads as long as they bring different bytes. No state but the
 * memory's.
 */
public final class Landing {

  private final Access access;
  private final Shares memory;

  /** Memory of a rank that wants {@code access}. */
  public Landing(Access access, Shares memory) {
    this.access = access;
    this.memory = memory;
  }

  /** The memory. */
  public Shares memory() {
    return memory;
  }

  /** Takes what is wanted out of {@code bytes}, which lie at {@code offset} in the file. */
  void place(long offset, MemorySegment bytes) {
    for (Share share : memory.of(access)) {
      move(share, offset, bytes, false);
    }
  }

  /** Puts what there is into {@code bytes}, which lie at {@code offset} in the file. */
  void fetch(long offset, MemorySegment bytes) {
    for (Share share : memory.of(access)) {
      move(share, offset, bytes, true);
    }
  }

  /** Puts the bytes at positions from {@code position} on into {@code bytes}, packed. */
  void fetchPacked(long position, MemorySegment bytes) {
    long end = position + bytes.byteSize();
    for (Share share : memory.of(access.view(), access.from(), position, end)) {
      PlacedCopy.pack(
          share.segment(),
          share.places(),
          share.access().size(),
          bytes,
          share.access().from() - position);
    }
  }

  private static void move(Share share, long offset, MemorySegment bytes, boolean out) {
    long from = share.access().from();
    Runs runs =
        share.access().view().runs(from, share.access().to(), offset, offset + bytes.byteSize());
    PlacedComb placed = new PlacedComb();
    placed.reset(share.places());
    MemorySegment segment = share.segment();
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
