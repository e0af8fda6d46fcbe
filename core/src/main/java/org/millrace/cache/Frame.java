package org.millrace.cache;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.BlockChanges;
import org.millrace.env.Signal;

/**
 * Memory for one block and what is known about it: whose block it holds, which of its bytes are
 * valid, which of them the store does not have yet, and which threads use it. {@link BlockCache}
 * explains the states.
 *
 * <p>Owned by the cache's lock, except for the bytes of {@link #memory}: these belong to the thread
 * that pinned the frame.
 */
final class Frame {

  /** Woken when a load, a write-back or a pin of this frame ends; shared with other frames. */
  final Signal changed;

  /** Different for all frames of a cache, from 0 on without large gaps. */
  final int number;

  /** Of the block that it has room for: a power of two. */
  final int bytes;

  // Where the bytes are. A frame and a free one exchange these when a slab is given back.
  MemorySegment memory;
  Slabs.Slab slab;
  int index;

  // Which block it is; no strand while the frame is free.
  @Nullable Strand strand;
  long block;

  // The bytes that are right, and those of them that the store lacks. An empty range is 0..0.
  int validFrom;
  int validTo;
  int dirtyFrom;
  int dirtyTo;

  /** Exactly which bytes the store lacks; null if it lacks none. */
  @Nullable BlockChanges changes;

  /** When it became dirty, on the cache's own count; tells a flush which blocks it is about. */
  long dirtyStamp;

  // Current users.
  @Nullable Load load;
  @Nullable WriteRun run;
  boolean exclusive;
  int readers;

  /** Threads that will use the frame as soon as they run: it must stay until then. */
  int claims;

  /** Pins of other processes, which touch the bytes without any lock; and those that write. */
  int pins;

  int writePins;

  /** Bytes beyond the strand's end may not be zero; an exclusive writer clears them. */
  boolean untidy;

  /**
   * Pinned by a process that writes all of it: nothing in it is valid before that has ended. Then
   * it is exclusive, too.
   */
  boolean blind;

  /** Holds no block, and is not free either: a silent process may still touch it. */
  boolean quarantined;

  /**
   * Threads that want to write and find readers: new readers that copy outside the lock let them
   * pass.
   */
  int writersWaiting;

  /** Prefetched and not used yet. */
  boolean prefetched;

  /** Whose next read-ahead the first use of this prefetched frame starts, if any's. */
  Strand.@Nullable Sequence marker;

  // Links of the chains of FrameChain.
  final Frame[] chainPrevious = {this, this, this};
  final Frame[] chainNext = {this, this, this};

  Frame(int number, Slabs.Slab slab, int index, MemorySegment memory, Signal changed) {
    this.number = number;
    this.slab = slab;
    this.index = index;
    this.memory = memory;
    this.bytes = (int) memory.byteSize();
    this.changed = changed;
  }

  boolean isDirty() {
    return dirtyTo != 0;
  }

  /** Whether bytes of it may change that it does not know of yet. */
  boolean isBeingWritten() {
    return exclusive || blind || writePins > 0;
  }

  boolean isFull() {
    return validTo - validFrom == bytes;
  }

  boolean isEmpty() {
    return validTo == 0;
  }

  /** Whether some thread uses or is about to use it, or its content is on the way. */
  boolean isBusy() {
    return exclusive || readers > 0 || claims > 0 || pins > 0 || load != null;
  }

  boolean covers(int from, int to) {
    return validFrom <= from && to <= validTo;
  }

  /** Whether [from, to) can be copied out now. */
  boolean isReadable(int from, int to) {
    return validFrom <= from && to <= validTo && !exclusive;
  }

  /** Whether a write of [from, to) leaves one valid range. */
  boolean touches(int from, int to) {
    return validTo == 0 || (from <= validTo && to >= validFrom);
  }

  void growValid(int from, int to) {
    if (validTo == 0) {
      validFrom = from;
      validTo = to;
    } else {
      validFrom = Math.min(validFrom, from);
      validTo = Math.max(validTo, to);
    }
  }

  void growDirty(int from, int to) {
    if (changes == null) {
      changes = new BlockChanges(bytes);
    }
    changes.add(from, to);
    if (dirtyTo == 0) {
      dirtyFrom = from;
      dirtyTo = to;
    } else {
      dirtyFrom = Math.min(dirtyFrom, from);
      dirtyTo = Math.max(dirtyTo, to);
    }
  }

  /** Fills what is not valid from {@code whole}, a block, or with zeros if there is none. */
  void fillRest(@Nullable MemorySegment whole) {
    fill(whole, 0, validFrom);
    fill(whole, validTo, bytes);
    validFrom = 0;
    validTo = bytes;
  }

  private void fill(@Nullable MemorySegment whole, int from, int to) {
    if (from < to) {
      if (whole == null) {
        memory.asSlice(from, to - from).fill((byte) 0);
      } else {
        MemorySegment.copy(whole, from, memory, from, to - from);
      }
    }
  }

  @Override
  public String toString() {
    return "frame of " + (strand == null ? "nothing" : strand.name() + " block " + block);
  }
}
