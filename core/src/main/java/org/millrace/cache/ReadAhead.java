package org.millrace.cache;

import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.millrace.error.MillraceException;

/**
 * Starts loads: of the block that a request waits for and those after it that the same request
 * needs, of blocks that a sequential reader will need next, and of hinted or preloaded blocks.
 *
 * <p>A strand is read sequentially if a miss, or a hint that had something to load, follows where
 * an earlier one ended; several readers are distinguished by their positions. Then a window of
 * blocks is loaded beyond the request; the first of them is a marker, whose use doubles the window
 * and loads the next one, so that the reader finds its blocks present while the disk works ahead of
 * it.
 *
 * <p>A hint at more than one transfer is loaded in the order of the file, together with other such
 * hints ({@link Sweep}).
 *
 * <p>Owned by the cache's lock; methods that wait or let go of it say so.
 */
final class ReadAhead {

  private final CacheState state;
  private final DiskQueue queue;
  private final Evictor evictor;

  ReadAhead(CacheState state, DiskQueue queue, Evictor evictor) {
    this.state = state;
    this.queue = queue;
    this.evictor = evictor;
  }

  /** How many blocks one load for a request up to {@code lastBlock} would bring. */
  int wanted(Strand strand, long block, long lastBlock) {
    long max = Math.min(lastBlock, strand.storedBlocks - 1) - block + 1;
    return (int) Math.min(max, Math.min(runBlocks(strand), share(strand, 2)));
  }

  private int runBlocks(Strand strand) {
    return strand.blocksIn(state.options.runBytes());
  }

  private long share(Strand strand, int part) {
    return strand.blocksIn(state.slabs.limitBytes() / part);
  }

  /**
   * Starts to load absent blocks, at most {@code max} and as there are free frames. The gate is
   * open.
   */
  Load start(Strand strand, long block, int max, boolean prefetch) {
    return start(strand, Load.take(state, strand, block, max, prefetch));
  }

  /**
   * Starts to load the rest of frames that hold a part, or all of frames that hold nothing. The
   * gate is open.
   */
  Load start(Strand strand, Frame... frames) {
    Load load = new Load(state, strand, frames);
    queue.add(load);
    return load;
  }

  /**
   * A miss loads {@code [block, to)}: reads ahead if that continues what was read before. Lets go
   * of the lock.
   */
  void onMiss(Strand strand, long block, long to) {
    int found = find(strand, block);
    boolean sequential = found >= 0;
    Strand.Sequence sequence = sequential ? strand.sequences[found] : begin(strand);
    sequence.usedAt = ++strand.sequenceClock;
    sequence.next = to;
    if (sequential) {
      long window = Math.max(2L * sequence.window, Math.max(2, to - block));
      sequence.prefetchedTo = to;
      advance(strand, sequence, window);
    }
  }

  /**
   * Starts to load what is absent of a range that will be wanted soon, and more if that continues
   * what was read before. Lets go of the lock.
   */
  void onHint(Strand strand, long from, long to) {
    if (to - from > runBlocks(strand) && sweep(strand, from, to)) {
      return;
    }
    long issued = state.counters.readAheadIssued;
    prefetch(strand, from, to);
    if (state.counters.readAheadIssued != issued) {
      // the block that the last request ended in is there already
      onMiss(strand, find(strand, from + 1) >= 0 ? from + 1 : from, to);
    }
  }

  /** False if that is too much to remember. Lets go of the lock. */
  private boolean sweep(Strand strand, long from, long to) {
    Sweep sweep = strand.sweep;
    if (sweep == null) {
      sweep = new Sweep(state, strand, queue, evictor);
      strand.sweep = sweep;
    }
    int found = find(strand, from);
    long more = found >= 0 ? readAheadBytes() >>> strand.shift : 0;
    Strand.Sequence sequence = found >= 0 ? strand.sequences[found] : begin(strand);
    sequence.usedAt = ++strand.sequenceClock;
    sequence.next = to;
    return sweep.add(from, Math.min(to + more, strand.storedBlocks));
  }

  /** The sweep that will load a block soon, null if none will. */
  @Nullable Sweep bringing(Strand strand, long block) {
    Sweep sweep = strand.sweep;
    return sweep != null && sweep.isComing(block) ? sweep : null;
  }

  /**
   * Starts to load what is absent of a range, and nothing more; returns how far that went. Lets go
   * of the lock.
   */
  long prefetch(Strand strand, long from, long to) {
    return prefetch(strand, from, to, null);
  }

  /** The reader that expects {@code block} next, or -1. */
  private static int find(Strand strand, long block) {
    for (int i = 0; i < strand.sequences.length; i++) {
      if (strand.sequences[i].next == block) {
        return i;
      }
    }
    return -1;
  }

  /**
   * A new reader, in the place of the one that came last longest ago. Its markers keep their own.
   */
  private static Strand.Sequence begin(Strand strand) {
    int oldest = 0;
    for (int i = 1; i < strand.sequences.length; i++) {
      if (strand.sequences[i].usedAt < strand.sequences[oldest].usedAt) {
        oldest = i;
      }
    }
    strand.sequences[oldest] = new Strand.Sequence();
    return strand.sequences[oldest];
  }

  /** The first use of a prefetched frame, which the caller has claimed. Lets go of the lock. */
  void onFirstUse(Frame frame, Strand strand) {
    state.counters.readAheadUsed++;
    frame.prefetched = false;
    Sweep sweep = strand.sweep;
    if (sweep != null) {
      sweep.onFirstUse();
    }
    Strand.Sequence sequence = frame.marker;
    if (sequence != null) {
      frame.marker = null;
      sequence.usedAt = ++strand.sequenceClock;
      advance(strand, sequence, 2L * sequence.window);
    }
  }

  private long readAheadBytes() {
    return Math.min(state.options.readAheadBytes(), state.slabs.limitBytes() / 4);
  }

  private void advance(Strand strand, Strand.Sequence sequence, long window) {
    sequence.window = (int) Math.min(window, readAheadBytes() >>> strand.shift);
    long from = sequence.prefetchedTo;
    if (sequence.window > 0) {
      sequence.prefetchedTo = prefetch(strand, from, from + sequence.window, sequence);
      sequence.next = sequence.prefetchedTo;
    }
  }

  /**
   * Starts to load what is absent of {@code [from, to)} into frames that can be had without waiting
   * and without writing, and returns how far that went. The first of them becomes the marker of
   * {@code sequence}. Lets go of the lock.
   */
  private long prefetch(Strand strand, long from, long to, Strand.@Nullable Sequence sequence) {
    Strand.@Nullable Sequence marker = sequence;
    long block = from;
    long max = Math.min(to, strand.storedBlocks);
    while (block < max && strand.open && !strand.loadsHeld && !queue.isFull()) {
      if (state.table.find(strand, block) != null || bringing(strand, block) != null) {
        block++;
        continue;
      }
      int want = (int) Math.min(runBlocks(strand), max - block);
      if (state.slabs.free(strand) < want && evictor.tryMake(strand, want) == 0) {
        break;
      }
      // Evicting released the lock: is all still as it was?
      max = Math.min(max, strand.storedBlocks);
      if (block < max
          && strand.open
          && !strand.loadsHeld
          && state.table.find(strand, block) == null) {
        Load load = start(strand, block, (int) Math.min(want, max - block), true);
        load.firstFrame().marker = marker;
        marker = null;
        state.counters.readAheadIssued += load.blocks();
        block += load.blocks();
      }
    }
    return block;
  }

  /**
   * Fills empty frames, and only those, with absent blocks from {@code from} on, and waits for
   * them.
   */
  void preload(Strand strand, long from, long deadlineNanos) throws IOException {
    ArrayDeque<Load> loads = new ArrayDeque<>();
    MillraceException failure = null;
    boolean triedEvicting = false;
    long block = from;
    while (true) {
      if (loads.size() >= 2 * state.options.diskThreads()) {
        failure = firstOf(failure, await(loads.remove(), strand, deadlineNanos));
      }
      if (strand.loadsHeld) {
        state.await(strand.changed, deadlineNanos, strand, block, "turn");
      } else if (block >= strand.storedBlocks || !strand.open) {
        break;
      } else if (state.table.find(strand, block) != null) {
        block++;
      } else {
        int want = (int) Math.min(runBlocks(strand), strand.storedBlocks - block);
        if (!triedEvicting && state.slabs.free(strand) < want) {
          triedEvicting = true; // lets go of the lock: is all still as it was?
          evictor.tryEmpty(strand, want);
        } else if (state.slabs.free(strand) == 0) {
          break;
        } else {
          triedEvicting = false;
          Load load = start(strand, block, want, false);
          loads.add(load);
          block += load.blocks();
        }
      }
    }
    while (!loads.isEmpty()) {
      failure = firstOf(failure, await(loads.remove(), strand, deadlineNanos));
    }
    if (failure != null) {
      throw failure.again();
    }
  }

  private static @Nullable MillraceException firstOf(
      @Nullable MillraceException first, @Nullable MillraceException second) {
    return first == null ? second : first;
  }

  private @Nullable MillraceException await(Load load, Strand strand, long deadlineNanos)
      throws IOException {
    while (!load.isDone()) {
      state.await(strand.changed, deadlineNanos, strand, load.firstFrame().block, "preload");
    }
    return load.error();
  }
}
