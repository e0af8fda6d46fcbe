package org.millrace.cache;

import java.io.IOException;
import org.millrace.env.Signal;

/**
 * Loads what was announced of a strand in the order of the file, no matter which rank announced it
 * or comes first for a part of it: a disk, and a system that reads ahead of a file that is read in
 * order, are twice as quick then. A few loads are under way at a time; each starts the next one
 * when it ends.
 *
 * <p>A reader of a block that is announced waits for the sweep instead of loading it itself, as
 * long as something is under way. So it waits for nothing but the disk: where the sweep stops
 * because there is no room left, every reader goes on by itself, and the sweep goes on when a block
 * that it loaded is used.
 *
 * <p>Owned by the cache's lock; methods that let go of it say so.
 */
final class Sweep {

  /** Nobody waits for a block before which more bytes are to be loaded. */
  private static final long MAX_AHEAD_BYTES = 128 << 20;

  /**
   * Blocks whose readers are woken together, and how many such groups have signals of their own.
   */
  private static final int GROUP_BLOCKS = 16;

  private static final int GROUPS = 16;

  // Constant after construction.
  private final CacheState state;
  private final Strand strand;
  private final DiskQueue queue;
  private final Evictor evictor;
  private final Signal[] signals = new Signal[GROUPS];

  // Guarded by the cache's lock.
  private final Announced announced = new Announced();
  private int loads;
  private int starting; // threads that look for room for a load
  private int waiting;

  Sweep(CacheState state, Strand strand, DiskQueue queue, Evictor evictor) {
    this.state = state;
    this.strand = strand;
    this.queue = queue;
    this.evictor = evictor;
    for (int i = 0; i < GROUPS; i++) {
      signals[i] = state.newSignal();
    }
  }

  /** Adds blocks; false if too many stretches are announced already. Lets go of the lock. */
  boolean add(long from, long to) {
    boolean added = from >= to || announced.add(from, to);
    goOn();
    return added;
  }

  /** Whether a block will be loaded soon, without anybody's doing. */
  boolean isComing(long block) {
    return isMoving()
        && announced.contains(block)
        && announced.before(block) << strand.shift <= MAX_AHEAD_BYTES;
  }

  private boolean isMoving() {
    return loads + starting > 0;
  }

  /** Waits for a block that is coming; it may be there then, or not be coming any more. */
  void await(long block, long deadlineNanos) throws IOException {
    waiting++;
    try {
      state.await(signal(block), deadlineNanos, strand, block, "answer of the disk");
    } finally {
      waiting--;
    }
  }

  /** A block was used that was loaded before somebody wanted it. Lets go of the lock. */
  void onFirstUse() {
    if (!isMoving()) {
      goOn();
    }
  }

  /** Forgets what is announced. */
  void stop() {
    announced.clear();
    wakeAll();
  }

  /** Starts loads until enough are under way, or there is no room. Lets go of the lock. */
  private void goOn() {
    starting++;
    startLoads();
    starting--;
    if (!isMoving()) {
      wakeAll();
    }
  }

  private void startLoads() {
    while (!announced.isEmpty()
        && loads < state.options.diskThreads()
        && strand.open
        && !strand.loadsHeld
        && !queue.isFull()) {
      long block = announced.next();
      long end = Math.min(announced.end(block), strand.storedBlocks);
      if (block >= end) {
        pass(block, announced.end(block)); // cut off meanwhile
      } else if (state.table.find(strand, block) != null) {
        pass(block, block + 1);
      } else {
        int want = (int) Math.min(strand.blocksIn(state.options.runBytes()), end - block);
        if (!evictor.isFree(strand, want) && evictor.tryMake(strand, want) == 0) {
          break;
        }
        // Evicting let go of the lock: is all still as it was?
        if (isStill(block, want)) {
          load(block, want);
        }
      }
    }
  }

  private boolean isStill(long block, int want) {
    return strand.open
        && !strand.loadsHeld
        && !announced.isEmpty()
        && announced.next() == block
        && block + want <= Math.min(announced.end(block), strand.storedBlocks)
        && state.table.find(strand, block) == null
        && evictor.isFree(strand, 1);
  }

  private void load(long block, int max) {
    Load load = Load.ahead(state, strand, block, max, this::onEnded);
    loads++;
    queue.add(load);
    state.counters.readAheadIssued += load.blocks();
    pass(block, block + load.blocks());
  }

  /** A load has ended, well or not. Lets go of the lock. */
  private void onEnded() {
    loads--;
    goOn();
  }

  private void pass(long from, long to) {
    announced.pass(from, to);
    if (waiting > 0) {
      for (long block = from; block < to; block += GROUP_BLOCKS - block % GROUP_BLOCKS) {
        signal(block).signalAll();
      }
    }
  }

  private Signal signal(long block) {
    return signals[(int) (block / GROUP_BLOCKS % GROUPS)];
  }

  private void wakeAll() {
    if (waiting > 0) {
      for (Signal signal : signals) {
        signal.signalAll();
      }
    }
  }
}
