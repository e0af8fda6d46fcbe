package org.millrace.cache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.BlockStore;
import org.millrace.env.Signal;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The cache's state of one strand: its end, the blocks that its store may hold, its frames, and the
 * calls of the store that are in progress. Owned by the cache's lock.
 */
final class Strand {

  // Constant after construction.
  final long id;
  final BlockStore store;

  /** Bytes of a block, as a power of two. */
  final int shift;

  /** Bytes of a block, less one. */
  final int mask;

  /** Woken when a store call ends, a gate opens, or a range is left. */
  final Signal changed;

  // Guarded by the cache's lock.
  final FrameChain frames = new FrameChain(FrameChain.STRAND);
  final FrameChain dirty = new FrameChain(FrameChain.STRAND_DIRTY);
  final RangeLock ranges = new RangeLock();
  final Sequence[] sequences = new Sequence[SEQUENCES];
  long end;

  /** When it was last modified: nanoseconds since 1970, 0 if that is not known. */
  long modified;

  /** Blocks from this one on were never given to the store: they are zero and need no reading. */
  long storedBlocks;

  /**
   * Counts what the store was given or the end was moved; and how far the last flush made that
   * durable.
   */
  long changes = 1;

  long flushedChanges;

  /** Whether the last write-back failed: then nothing is written behind until one succeeds. */
  boolean failed;

  boolean open = true;

  // The gate before the store: pending calls, and which kinds may not start.
  int loads;
  int writes;
  boolean loadsHeld;
  boolean writesHeld;

  /** A {@link StoreCall} is under way; if its caller gave up, it opens the gate when it ends. */
  boolean calling;

  boolean callerGaveUp;

  /** What was announced and is loaded in order; null if nothing ever was. */
  @Nullable Sweep sweep;

  /** Pins that last from write to write, and whose notes are open. */
  final List<Pin> kept = new ArrayList<>();

  /** The frame written last, most often the one that is written next. */
  @Nullable Frame last;

  /** How many sequential readers of one strand are tracked. */
  private static final int SEQUENCES = 8;

  /** Where a sequential reader of the strand is; see {@link ReadAhead}. */
  static final class Sequence {
    long next = -1;
    long prefetchedTo;
    int window;
    long usedAt;
  }

  /** Counts the misses of sequential readers, to find the least recently active one. */
  long sequenceClock;

  void forgetSequences() {
    if (sweep != null) {
      sweep.stop();
    }
    for (int i = 0; i < sequences.length; i++) {
      sequences[i] = new Sequence();
    }
  }

  Strand(long id, BlockStore store, Signal changed) {
    this.id = id;
    this.store = store;
    this.shift = Integer.numberOfTrailingZeros(store.blockBytes());
    this.mask = store.blockBytes() - 1;
    this.changed = changed;
    forgetSequences();
    this.end = store.end();
    this.storedBlocks = blocksOf(end);
  }

  int blockBytes() {
    return mask + 1;
  }

  /** How many blocks hold so many bytes. */
  long blocksOf(long bytes) {
    return (bytes >>> shift) + ((bytes & mask) == 0 ? 0 : 1);
  }

  /** How many blocks fit into so many bytes; at least one. */
  int blocksIn(long bytes) {
    return Math.clamp(bytes >>> shift, 1, Integer.MAX_VALUE);
  }

  String name() {
    return store.name();
  }

  void checkOpen() throws MillraceException {
    if (!open) {
      throw new MillraceException(ErrorCode.CLOSED, name() + " is detached from the cache");
    }
  }

  /** Takes over what holders of kept pins have written up to now. */
  void lookAtKept() {
    for (int i = 0; i < kept.size(); i++) {
      kept.get(i).look();
    }
  }

  /**
   * Ends all kept pins whose holders are not writing now; what the others write from now on does
   * not count.
   */
  void recallKept() {
    for (Pin pin : List.copyOf(kept)) {
      boolean _ = pin.tryRecall();
    }
  }

  boolean isUnflushed() {
    return changes != flushedChanges;
  }

  /**
   * Lets loads and writes start again, as soon as the store's call that they were held for is over.
   */
  void openGate() {
    if (calling) {
      callerGaveUp = true;
    } else {
      loadsHeld = false;
      writesHeld = false;
      changed.signalAll();
    }
  }

  void onCallEnded() {
    calling = false;
    if (callerGaveUp) {
      callerGaveUp = false;
      openGate();
    }
    changed.signalAll();
  }

  /** The numbers of the blocks that are dirty since {@code stamp} or longer, ascending. */
  long[] dirtyBlocks(long stamp) {
    long[] blocks = new long[dirty.size()];
    int count = 0;
    for (Frame frame = dirty.first(); frame != null; frame = dirty.after(frame)) {
      if (frame.dirtyStamp <= stamp) {
        blocks[count++] = frame.block;
      }
    }
    blocks = Arrays.copyOf(blocks, count);
    Arrays.sort(blocks);
    return blocks;
  }
}
