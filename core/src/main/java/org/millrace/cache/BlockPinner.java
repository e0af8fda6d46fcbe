package org.millrace.cache;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Work;

/**
 * Pins the blocks of a strand for one thread, one at a time, as memory: a thread that moves many
 * pieces of one block looks it up once and copies without any lock. A block pinned for reading can
 * be read by other threads; one pinned for writing cannot be accessed by others. The holder must
 * not block while a block is pinned.
 *
 * <p>Waits for the disk and for other threads only before the block is pinned, within the cache's
 * deadline.
 *
 * <p>For one thread. A pinned block must be released, whatever happens.
 */
public final class BlockPinner {

  // Constant after construction.
  private final CacheState state;
  private final Strand strand;
  private final Contiguous contiguous;

  // What is lent.
  private @Nullable Frame frame;
  private int from;
  private int to;
  private boolean writing;

  BlockPinner(CacheState state, Strand strand, Contiguous contiguous) {
    this.state = state;
    this.strand = strand;
    this.contiguous = contiguous;
  }

  /** Whether the store holds some of the blocks {@code [first, to)} and the cache does not. */
  public boolean isAbsent(long first, long to) throws IOException {
    state.acquire();
    try {
      strand.checkOpen();
      for (long block = first; block < Math.min(to, strand.storedBlocks); block++) {
        Frame found = state.find(strand, block);
        if (found == null || !found.isFull()) {
          return true;
        }
      }
      return false;
    } finally {
      state.release();
    }
  }

  /**
   * Brings the blocks {@code [first, to)} from the store, as far as it holds them and the cache
   * does not: neighbours in one transfer, one transfer after the other, and no other block.
   */
  public void load(long first, long to) throws IOException {
    checkFree();
    state.acquire();
    try {
      contiguous.bring(first, to);
    } finally {
      state.release();
    }
  }

  /**
   * Writes what is dirty of the blocks {@code [first, to)} to the store, ascending: neighbours in
   * one transfer, one transfer after the other, and no other block. If that fails they stay dirty.
   */
  public void writeBack(long first, long to) throws IOException {
    checkFree();
    state.acquire();
    try {
      contiguous.writeBack(first, to);
    } finally {
      state.release();
    }
  }

  /**
   * Lends bytes {@code [from, to)} of a block for reading, after loading it if need be. False, and
   * nothing to give back, if the block is all zeros and has no memory.
   */
  public boolean read(long block, int from, int to) throws IOException {
    checkFree();
    state.acquire();
    try {
      strand.checkOpen();
      strand.lookAtKept();
      if (isBeyondEnd(block)) {
        return false;
      }
      Frame found = contiguous.reading(block, from, to, true, block, Contiguous.LAZY);
      if (found == null) {
        return false;
      }
      pinForReading(found, from, to);
      return true;
    } finally {
      state.release();
    }
  }

  private boolean isBeyondEnd(long block) {
    return block << strand.shift >= strand.end;
  }

  private void pinForReading(Frame found, int from, int to) {
    found.readers++;
    pin(found, from, to, false);
  }

  /**
   * Whether writing {@code [from, to)} of a block with gaps would have to read the store: so that
   * the writer looks closely for gaps only when it matters.
   */
  public boolean wouldLoad(long block, int from, int to) {
    state.acquire();
    try {
      Frame found = state.find(strand, block);
      return (found == null || !found.covers(from, to)) && block < strand.storedBlocks;
    } finally {
      state.release();
    }
  }

  /**
   * Lends bytes {@code [from, to)} of a block for writing. Unless {@code gaps} the holder writes
   * all of them; with gaps the block is loaded first if it is stored and not there.
   */
  public void write(long block, int from, int to, boolean gaps) throws IOException {
    checkFree();
    state.acquire();
    try {
      strand.checkOpen();
      Frame found = contiguous.writing(block, from, to, gaps, true, block, Contiguous.LAZY);
      found.exclusive = true;
      pin(found, from, to, true);
    } finally {
      state.release();
    }
  }

  private void pin(Frame found, int pinnedFrom, int pinnedTo, boolean forWriting) {
    frame = found;
    from = pinnedFrom;
    to = pinnedTo;
    writing = forWriting;
  }

  private void checkFree() {
    if (frame != null) {
      throw new IllegalStateException("not given back yet: " + frame);
    }
  }

  /** The memory of the whole block that is lent; only what was asked for may be touched. */
  public MemorySegment memory() {
    return pinned().memory;
  }

  private Frame pinned() {
    Frame pinned = frame;
    if (pinned == null) {
      throw new IllegalStateException("no block is lent");
    }
    return pinned;
  }

  /**
   * Gives the block back after {@code pieces} runs of {@code bytes} in all were copied. {@code
   * copied} is false if that failed: then what was to be written there is unknown.
   */
  public void release(boolean copied, long bytes, long pieces) {
    Frame pinned = pinned();
    frame = null;
    state.acquire();
    try {
      if (writing) {
        state.endWriting(pinned, strand, from, to, copied); // its holder writes it back itself
      } else {
        state.endReading(pinned);
      }
    } finally {
      state.release();
    }
    state.env.charge(Work.CACHE, 1);
    state.env.charge(Work.COPY, bytes);
    state.env.charge(Work.PIECE, pieces);
  }

  /** Bytes of a block. */
  public int blockBytes() {
    return strand.blockBytes();
  }

  /**
   * The most blocks that one of {@code depth} buffers may have, so that they are moved in one
   * transfer and together take no more than a share of the cache; at least 1.
   */
  public int bufferBlocks(int depth) {
    state.acquire();
    try {
      return strand.blocksIn(
          Math.min(state.slabs.limitBytes() / 4 / depth, state.options.runBytes()));
    } finally {
      state.release();
    }
  }
}
