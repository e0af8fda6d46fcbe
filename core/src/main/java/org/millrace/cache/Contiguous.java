package org.millrace.cache;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Copies between the caller's memory and the blocks of one strand, block by block. Runs with the
 * cache's lock held, and releases it for large copies with the frame pinned. A thread never waits
 * while it has a frame pinned.
 */
final class Contiguous {

  /**
   * A deadline that is counted from the first wait on, so that accesses which find their block read
   * no clock.
   */
  static final long LAZY = Long.MIN_VALUE;

  private final CacheState state;
  private final Strand strand;
  private final BlockAccess access;
  private final WriteBack writeBack;

  Contiguous(CacheState state, Strand strand, BlockAccess access, WriteBack writeBack) {
    this.state = state;
    this.strand = strand;
    this.access = access;
    this.writeBack = writeBack;
  }

  /** A frame whose [from, to) can be copied out, null for a hole. */
  @Nullable Frame reading(
      long block, int from, int to, boolean large, long lastBlock, long deadlineNanos)
      throws IOException {
    strand.checkOpen();
    Frame frame = state.find(strand, block);
    if (frame != null
        && frame.isReadable(from, to)
        && !frame.prefetched
        && !(large && frame.writersWaiting > 0)) {
      state.lru.touch(frame);
      state.counters.hits++;
      return frame;
    }
    return access.reading(strand, block, from, to, large, lastBlock, deadlineFrom(deadlineNanos));
  }

  /** A frame into which [from, to) can be copied. */
  Frame writing(
      long block, int from, int to, boolean gaps, boolean large, long lastBlock, long deadlineNanos)
      throws IOException {
    strand.checkOpen();
    Frame frame = state.find(strand, block);
    if (frame != null
        && !frame.exclusive
        && frame.readers == 0
        && BlockAccess.canWrite(frame, from, to, gaps, large)) {
      state.lru.touch(frame);
      state.counters.hits++;
      return frame;
    }
    return access.writing(
        strand, block, from, to, gaps, large, lastBlock, deadlineFrom(deadlineNanos));
  }

  /** Brings absent blocks and nothing else. */
  void bring(long first, long to) throws IOException {
    access.bring(strand, first, to, state.deadline());
  }

  /** Writes dirty blocks and nothing else. */
  void writeBack(long first, long to) throws IOException {
    writeBack.write(strand, first, to, state.deadline());
  }

  private long deadlineFrom(long deadlineNanos) {
    return deadlineNanos == LAZY ? state.deadline() : deadlineNanos;
  }

  /** Copies [from, to) of a block out. */
  void read(
      long block, int from, int to, MemorySegment into, long at, long lastBlock, long deadlineNanos)
      throws IOException {
    int length = to - from;
    boolean large = length > CacheState.SMALL_BYTES;
    Frame frame = reading(block, from, to, large, lastBlock, deadlineNanos);
    if (frame == null) {
      into.asSlice(at, length).fill((byte) 0);
    } else if (large) {
      frame.readers++;
      state.release();
      try {
        MemorySegment.copy(frame.memory, from, into, at, length);
      } finally {
        state.acquire();
        state.endReading(frame);
      }
    } else {
      // By way of the slab: the frame's own segment is one more object to fetch from memory.
      long start = ((long) frame.index << strand.shift) + from;
      MemorySegment.copy(frame.slab.memory(), start, into, at, length);
    }
  }

  /** Copies [from, to) of a block in. */
  void write(
      long block,
      int from,
      int to,
      MemorySegment source,
      long at,
      long lastBlock,
      long deadlineNanos)
      throws IOException {
    int length = to - from;
    boolean large = length > CacheState.SMALL_BYTES;
    Frame frame = writing(block, from, to, false, large, lastBlock, deadlineNanos);
    boolean copied = false;
    if (large) {
      frame.exclusive = true;
      state.release();
    }
    try {
      MemorySegment.copy(source, at, frame.memory, from, length);
      copied = true;
    } finally {
      if (large) {
        state.acquire();
      }
      state.endWriting(frame, strand, from, to, copied);
    }
    writeBehind();
  }

  /** Starts write-back in the background if it is time. */
  void writeBehind() {
    if (state.isTooDirty()) {
      writeBack.behind();
    }
  }
}
