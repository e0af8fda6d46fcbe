package org.millrace.cache;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.BlockStore;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.error.DeadlineException;

/**
 * The state of one cache: the lock and the data that it guards. All other classes of the package
 * use these with the lock held exactly once, so that a wait releases it. There is no second lock,
 * hence no lock order.
 */
final class CacheState {

  private static final int SIGNALS = 16;

  /**
   * Copies up to this length are made under the lock: letting go and coming back would cost more.
   */
  static final int SMALL_BYTES = 4096;

  /**
   * How often a busy lock is tried again before the thread is parked; parking costs more than most
   * holds.
   */
  private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 200 : 0;

  // Constant after construction.
  final Env env;
  final String name;
  final CacheOptions options;
  private final LongSupplier clock;
  private final ReentrantLock lock = new ReentrantLock();

  /** Woken when a frame may have become one that can be evicted. */
  final Signal spaceFreed;

  // Guarded by the lock.
  final FrameTable table = new FrameTable();
  final LruList lru = new LruList();
  final FrameChain dirty = new FrameChain(FrameChain.DIRTY);
  final Slabs slabs;
  final Counters counters = new Counters();
  final Set<Strand> strands = new LinkedHashSet<>();
  final Set<BlockStore> stores = new HashSet<>(); // of the strands; each is equal to itself alone
  long stamp;
  private long maxDirtyBytes;

  /** Memory of the dirty frames. */
  private long dirtyHeld;

  /** Memory of the frames that are pinned or in quarantine; and how many are in quarantine. */
  long pinnedHeld;

  int quarantined;

  long nextStrandId;

  /** What a {@link CacheReport} counts. */
  static final class Counters {
    long hits;
    long misses;
    long evictions;
    long reads;
    long writes;
    long bytesRead;
    long bytesWritten;
    long readAheadIssued;
    long readAheadUsed;
    long failedReads;
    long failedWrites;
  }

  CacheState(Env env, String name, CacheOptions options, SlabMemory memory, LongSupplier clock) {
    this.clock = clock;
    this.env = env;
    this.name = name;
    this.options = options;
    Signal[] signals = new Signal[SIGNALS];
    for (int i = 0; i < SIGNALS; i++) {
      signals[i] = env.signal(lock);
    }
    spaceFreed = env.signal(lock);
    slabs = new Slabs(options.bytes(), signals, memory);
    setMaxDirtyBytes();
  }

  void acquire() {
    if (!lock.tryLock()) {
      acquireBusy();
    }
  }

  private void acquireBusy() {
    for (int i = 0; i < SPINS; i++) {
      Thread.onSpinWait();
      if (!lock.isLocked() && lock.tryLock()) {
        return;
      }
    }
    lock.lock();
  }

  void release() {
    lock.unlock();
  }

  Signal newSignal() {
    return env.signal(lock);
  }

  long deadline() {
    return env.deadlineAfter(options.deadlineNanos());
  }

  /** Waits; fails when the deadline has passed. */
  void await(Signal signal, long deadlineNanos, @Nullable Strand strand, long block, String what)
      throws DeadlineException {
    if (!signal.await(deadlineNanos)) {
      String where = strand == null ? "" : ", " + strand.name() + " block " + block;
      throw new DeadlineException(
          name + where + ": no " + what + " within " + options.deadlineNanos() + " ns");
    }
  }

  @Nullable Frame find(Strand strand, long block) {
    Frame last = strand.last;
    if (last != null && last.block == block && last.strand == strand) {
      return last;
    }
    return table.find(strand, block);
  }

  /** Gives a free frame, which there must be, to an absent block. Nothing in it is valid yet. */
  Frame take(Strand strand, long block) {
    Frame frame = slabs.take(strand.shift);
    frame.strand = strand;
    frame.block = block;
    table.add(frame);
    lru.addNewest(frame);
    strand.frames.add(frame);
    return frame;
  }

  /** Forgets a frame that is not in use, whatever it holds. */
  void drop(Frame frame, Strand strand) {
    forget(frame, strand);
    slabs.giveBack(frame);
    spaceFreed.signalAll();
  }

  /** Takes a frame away from its block, whatever it holds. It is not free yet. */
  void forget(Frame frame, Strand strand) {
    frame.slab.withdraw(frame.index);
    markClean(frame, strand);
    table.remove(frame);
    lru.remove(frame);
    strand.frames.remove(frame);
    frame.strand = null;
    frame.validFrom = 0;
    frame.validTo = 0;
    frame.prefetched = false;
    frame.untidy = false;
    frame.marker = null;
  }

  void markDirty(Frame frame, Strand strand, int from, int to) {
    if (!frame.isDirty()) {
      frame.dirtyStamp = ++stamp;
      strand.dirty.add(frame);
      dirty.add(frame);
      dirtyHeld += frame.bytes;
      strand.changes++;
    }
    frame.growDirty(from, to);
  }

  void markClean(Frame frame, Strand strand) {
    if (frame.isDirty()) {
      strand.dirty.remove(frame);
      dirty.remove(frame);
      dirtyHeld -= frame.bytes;
      frame.dirtyFrom = 0;
      frame.dirtyTo = 0;
      frame.changes = null;
    }
  }

  /**
   * Notes that [from, to) of the frame was written, and that the strand reaches at least that far.
   */
  void wrote(Frame frame, Strand strand, int from, int to) {
    strand.last = frame;
    modified(strand);
    frame.growValid(from, to);
    markDirty(frame, strand, from, to);
    long reached = (frame.block << strand.shift) + to;
    if (reached > strand.end) {
      strand.end = reached;
    }
  }

  /**
   * Takes over when a strand was modified, as its store says. A time that only this knows is stored
   * with the next flush: another opening must not find another one.
   */
  void found(Strand strand) {
    strand.modified = strand.store.modified();
    if (strand.modified < 0) { // the clock may be behind what it said before
      strand.modified = Math.max(clock.getAsLong(), 1 - strand.modified);
      strand.changes++;
    }
  }

  /** Notes that a strand is modified now: each time is another one. */
  void modified(Strand strand) {
    strand.modified = Math.max(clock.getAsLong(), strand.modified + 1);
  }

  /** Whether so much is dirty that write-back should go on in the background. */
  boolean isTooDirty() {
    return dirtyHeld > maxDirtyBytes && dirty.size() > 1;
  }

  /** Memory of the dirty frames. */
  long dirtyHeld() {
    return dirtyHeld;
  }

  /** To be called when the limit has changed. */
  void setMaxDirtyBytes() {
    maxDirtyBytes = slabs.limitBytes() * options.writeBehindPercent() / 100;
  }

  /** Wakes threads that wait for this frame and threads that wait for any frame. */
  void wake(Frame frame) {
    frame.changed.signalAll();
    spaceFreed.signalAll();
  }

  /** Ends an exclusive pin after [from, to) was copied into the frame, or not if that failed. */
  void endWriting(Frame frame, Strand strand, int from, int to, boolean copied) {
    if (copied) {
      wrote(frame, strand, from, to);
    } else {
      spoiled(frame, strand, from, to);
    }
    if (frame.exclusive) {
      endExclusive(frame, strand);
    }
  }

  /** Ends an exclusive pin. */
  void endExclusive(Frame frame, Strand strand) {
    frame.exclusive = false;
    if (frame.untidy) {
      clearBeyondEnd(frame, strand);
    }
    wake(frame);
  }

  /**
   * Clears what processes that had pinned a frame have left behind the strand's end, unless there
   * still are such processes. A thread that is just writing the frame does it when it is done:
   * before, its own bytes may lie behind the end.
   */
  void clearBeyondEnd(Frame frame, Strand strand) {
    frame.untidy = frame.exclusive;
    long from = Math.max(0, strand.end - (frame.block << strand.shift));
    if (!frame.untidy && frame.writePins == 0 && from < frame.bytes) {
      frame.memory.asSlice(from, frame.bytes - from).fill((byte) 0);
    }
  }

  /**
   * A copy into the frame ended early: what was right there is unknown now, but zero beyond the
   * strand's end.
   */
  private void spoiled(Frame frame, Strand strand, int from, int to) {
    int first = Math.max(from, frame.validFrom);
    int last = Math.min(to, frame.validTo);
    if (first < last) {
      long end = strand.end - (frame.block << strand.shift);
      long zeros = Math.max(first, end);
      if (zeros < last) {
        frame.memory.asSlice(zeros, last - zeros).fill((byte) 0);
      }
      markDirty(frame, strand, first, last);
    }
  }

  void endReading(Frame frame) {
    frame.readers--;
    if (frame.readers == 0) {
      wake(frame);
    }
  }

  CacheReport report(long stagingBytes) {
    long dirtyBytes = 0;
    for (Frame frame = dirty.first(); frame != null; frame = dirty.after(frame)) {
      dirtyBytes += frame.dirtyTo - frame.dirtyFrom;
    }
    return new CacheReport(
        slabs.limitBytes(),
        slabs.totalBytes(),
        stagingBytes,
        lru.size(),
        dirty.size(),
        dirtyBytes,
        counters.hits,
        counters.misses,
        counters.evictions,
        counters.reads,
        counters.writes,
        counters.bytesRead,
        counters.bytesWritten,
        counters.readAheadIssued,
        counters.readAheadUsed,
        counters.failedReads,
        counters.failedWrites,
        pinnedHeld,
        quarantined);
  }

  static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }
}
