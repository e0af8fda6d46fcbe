package org.millrace.cache;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.access.group.BlockSpans;
import org.millrace.env.Work;

/**
 * Blocks of a strand that are lent all at once, as memory: whoever moves many pieces of many blocks
 * looks them up under one lock, and copies without any. Only blocks that are in memory and free are
 * lent, so that nobody waits while he has some. Blocks lent for reading can be read by others;
 * those lent for writing cannot be accessed by others. Accesses of several blocks see all of it or
 * nothing, as they do with {@link CachedStrand#hold}.
 *
 * <p>The memory may be used by several threads. They must not wait before all is given back, once,
 * by any of them.
 */
public final class LentBlocks {

  // constant after construction
  private final CacheState state;
  private final Strand strand;
  private final Contiguous contiguous;
  private final BlockSpans spans;
  private final boolean write;
  private final @Nullable Frame[] frames;
  private final RangeLock.Range range;

  private LentBlocks(
      CacheState state,
      Strand strand,
      Contiguous contiguous,
      BlockSpans spans,
      boolean write,
      RangeLock.Range range) {
    this.state = state;
    this.strand = strand;
    this.contiguous = contiguous;
    this.spans = spans;
    this.write = write;
    this.frames = new Frame[spans.count()];
    this.range = range;
  }

  /** Lends blocks of an open strand; null if any of them is not at hand. The lock is held. */
  static @Nullable LentBlocks take(
      CacheState state, Strand strand, Contiguous contiguous, BlockSpans spans, boolean write) {
    RangeLock.Range range = strand.ranges.arrive(spans.begin(), spans.end(), write);
    boolean granted = strand.ranges.isGranted(range);
    LentBlocks lent = new LentBlocks(state, strand, contiguous, spans, write, range);
    if (!granted || !lent.find()) {
      lent.leave();
      return null;
    }
    lent.pin();
    return lent;
  }

  private boolean find() {
    for (int i = 0; i < frames.length; i++) {
      if (spans.isWanted(i)) {
        long block = spans.first() + i;
        Frame found = state.table.find(strand, block);
        boolean beyond = !write && block << strand.shift >= strand.end;
        if (found == null
            || beyond
            || found.prefetched
            || !isFree(found, spans.from(i), spans.to(i))) {
          return false;
        }
        frames[i] = found;
      }
    }
    return true;
  }

  private boolean isFree(Frame found, int from, int to) {
    return write
        ? !found.exclusive
            && found.readers == 0
            && BlockAccess.canWrite(found, from, to, true, true)
        : found.isReadable(from, to) && found.writersWaiting == 0;
  }

  private void pin() {
    for (Frame frame : frames) {
      if (frame != null) {
        state.lru.touch(frame);
        if (write) {
          frame.exclusive = true;
        } else {
          frame.readers++;
        }
      }
    }
    state.counters.hits += spans.wanted();
  }

  /** The memory of a block that is lent; only what was asked for may be touched. */
  public MemorySegment memory(long block) {
    Frame frame = frames[(int) (block - spans.first())];
    return Objects.requireNonNull(frame, "not lent").memory;
  }

  /** Gives everything back; nothing was copied. */
  public void giveBackUnused() {
    state.acquire();
    try {
      for (Frame frame : frames) {
        if (frame != null && write) {
          state.endExclusive(frame, strand);
        } else if (frame != null) {
          state.endReading(frame);
        }
      }
      leave();
    } finally {
      state.release();
    }
  }

  private void leave() {
    if (strand.ranges.leave(range)) {
      strand.changed.signalAll();
    }
  }

  /**
   * Gives everything back after {@code pieces} runs of {@code bytes} in all were copied. {@code
   * copied} is false if some of that failed: then what was to be written is unknown.
   */
  public void giveBack(boolean copied, long bytes, long pieces) {
    state.acquire();
    try {
      for (int i = 0; i < frames.length; i++) {
        Frame frame = frames[i];
        if (frame != null && write) {
          state.endWriting(frame, strand, spans.from(i), spans.to(i), copied);
        } else if (frame != null) {
          state.endReading(frame);
        }
      }
      leave();
      if (write) {
        contiguous.writeBehind();
      }
    } finally {
      state.release();
    }
    state.env.charge(Work.CACHE, spans.wanted());
    state.env.charge(Work.COPY, bytes);
    state.env.charge(Work.PIECE, pieces);
  }
}
