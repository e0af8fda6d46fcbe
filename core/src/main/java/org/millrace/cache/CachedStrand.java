package org.millrace.cache;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.access.group.BlockSpans;
import org.millrace.env.Env;
import org.millrace.env.Work;
import org.millrace.error.MillraceException;

/**
 * A strand that is accessed through the cache. A write is visible to every later read at once, and
 * durable after {@link #flush}.
 *
 * <p>An access that stays within one block happens at once, seen from any other access. Reads and
 * writes of several blocks do so, too, among each other; {@link #gather} and {@link #scatter} block
 * by block.
 *
 * <p>An I/O error of the store is thrown by the access that needs the block or its slot, and is not
 * remembered: the next access tries again. Every call ends within the cache's deadline; a call that
 * fails with a {@link org.millrace.error.DeadlineException} may have taken effect.
 *
 * <p>All methods may be called from any thread. After {@link #detach}, which leaves the store open,
 * every access fails with the code CLOSED.
 */
public final class CachedStrand {

  private static final long GLANCE_BLOCKS = 32;

  // Constant after construction.
  private final CacheState state;
  private final CacheParts parts;
  private final Strand strand;
  private final Contiguous contiguous;
  private final Strided strided;

  CachedStrand(CacheState state, CacheParts parts, Strand strand) {
    this.state = state;
    this.parts = parts;
    this.strand = strand;
    contiguous = new Contiguous(state, strand, parts.access(), parts.writeBack());
    strided = new Strided(state, strand, contiguous, parts.readAhead());
  }

  /**
   * Copies what lies before the end of {@code [offset, offset + length)} to {@code into} from
   * {@code at} on, and returns how many bytes that were.
   */
  public long read(long offset, MemorySegment into, long at, long length) throws IOException {
    StrandLimits.checkPlace(offset, length);
    Objects.checkFromIndexSize(at, length, into.byteSize());
    int in = (int) (offset & strand.mask);
    long moved;
    state.acquire();
    try {
      look();
      if (in + length <= strand.blockBytes()) {
        moved = Math.min(length, strand.end - offset);
        if (moved > 0) {
          long block = offset >>> strand.shift;
          contiguous.read(block, in, in + (int) moved, into, at, block, Contiguous.LAZY);
          // The strand may have been truncated while this waited, but not since the copy.
          moved = Math.min(moved, strand.end - offset);
        }
      } else {
        moved = readMany(offset, into, at, length);
      }
    } finally {
      state.release();
    }
    if (moved <= 0) {
      return 0;
    }
    charge(blocks(in, moved), moved, 1);
    return moved;
  }

  /**
   * Whether an access to {@code [offset, offset + length)} would find all it needs in memory, at a
   * glance: it may be gone when the access comes.
   */
  public boolean isReady(long offset, long length) {
    long first = offset >>> strand.shift;
    long last = (offset + Math.max(length, 1) - 1) >>> strand.shift;
    if (offset < 0 || length < 0 || last < first || last - first >= GLANCE_BLOCKS) {
      return false;
    }
    state.acquire();
    try {
      for (long block = first; block <= last; block++) {
        Frame found = state.find(strand, block);
        int from = block == first ? (int) (offset - (block << strand.shift)) : 0;
        int to =
            block == last ? (int) (offset + length - (block << strand.shift)) : strand.blockBytes();
        boolean there =
            found != null
                ? found.writersWaiting == 0
                    && (found.isReadable(from, to)
                        || block >= strand.storedBlocks && !found.exclusive) // needs no load
                : block >= strand.storedBlocks && block * strand.blockBytes() >= strand.end;
        if (!there) {
          return false;
        }
      }
      return true;
    } finally {
      state.release();
    }
  }

  private long readMany(long offset, MemorySegment into, long at, long length) throws IOException {
    long deadline = state.deadline();
    RangeLock.Range range = enter(offset, offset + length, false, deadline);
    try {
      long moving = Math.min(length, strand.end - offset);
      long last = (offset + moving - 1) >>> strand.shift;
      for (long done = 0; done < moving; ) {
        long start = offset + done;
        int in = (int) (start & strand.mask);
        int piece = (int) Math.min(moving - done, strand.blockBytes() - in);
        contiguous.read(start >>> strand.shift, in, in + piece, into, at + done, last, deadline);
        done += piece;
      }
      return moving;
    } finally {
      leave(range);
    }
  }

  /**
   * Copies {@code length} bytes of {@code from}, from {@code at} on, to {@code offset}, and moves
   * the end to at least {@code offset + length}. If it fails, a first part of the bytes may have
   * been written.
   */
  public void write(long offset, MemorySegment from, long at, long length) throws IOException {
    StrandLimits.checkPlace(offset, length);
    Objects.checkFromIndexSize(at, length, from.byteSize());
    int in = (int) (offset & strand.mask);
    state.acquire();
    try {
      look();
      if (in + length > strand.blockBytes()) {
        writeMany(offset, from, at, length);
      } else if (length > 0) {
        long block = offset >>> strand.shift;
        contiguous.write(block, in, in + (int) length, from, at, block, Contiguous.LAZY);
      }
    } finally {
      state.release();
    }
    charge(blocks(in, length), length, 1);
  }

  private long blocks(int in, long length) {
    return (in + length + strand.mask) >>> strand.shift;
  }

  private void writeMany(long offset, MemorySegment from, long at, long length) throws IOException {
    long deadline = state.deadline();
    RangeLock.Range range = enter(offset, offset + length, true, deadline);
    try {
      for (long done = 0; done < length; ) {
        long start = offset + done;
        long block = start >>> strand.shift;
        int in = (int) (start & strand.mask);
        int piece = (int) Math.min(length - done, strand.blockBytes() - in);
        contiguous.write(block, in, in + piece, from, at + done, block, deadline);
        done += piece;
      }
    } finally {
      leave(range);
    }
  }

  /**
   * Packs {@code count} runs of {@code length} bytes, the first at {@code offset}, each {@code
   * stride} bytes after the one before (before it if negative), into {@code into}, the first at
   * {@code at} and each {@code atStride} bytes after the one before. Bytes beyond the end are zero.
   */
  public void gather(
      long offset, long length, long stride, long count, MemorySegment into, long at, long atStride)
      throws IOException {
    move(false, offset, length, stride, count, into, at, atStride);
  }

  /** The reverse of {@link #gather}; moves the end to at least the highest byte written. */
  public void scatter(
      long offset, long length, long stride, long count, MemorySegment from, long at, long atStride)
      throws IOException {
    move(true, offset, length, stride, count, from, at, atStride);
  }

  private void move(
      boolean write,
      long offset,
      long length,
      long stride,
      long count,
      MemorySegment memory,
      long at,
      long atStride)
      throws IOException {
    long bytes = StrandLimits.checkRuns(offset, length, stride, count);
    StrandLimits.checkMemory(at, length, atStride, count, memory);
    if (bytes == 0) {
      return;
    }
    long visits;
    long deadline = state.deadline();
    state.acquire();
    try {
      look();
      visits = strided.move(write, offset, length, stride, count, memory, at, atStride, deadline);
    } finally {
      state.release();
    }
    charge(visits, bytes, count);
  }

  /**
   * Keeps all other accesses of several blocks out of {@code [from, to)}, or only those that write
   * if not {@code exclusive}, so that a list of gathers or scatters is seen by them whole or not at
   * all. Within a hold only {@link #gather} and {@link #scatter} may be called: everything else may
   * wait for the hold itself.
   */
  public HeldRange hold(long from, long to, boolean exclusive) throws IOException {
    StrandLimits.checkPlace(from, to - from);
    state.acquire();
    try {
      strand.checkOpen();
      return new HeldRange(this, enter(from, to, exclusive, state.deadline()));
    } finally {
      state.release();
    }
  }

  /**
   * Lends blocks as memory, all of them at once; null if the strand is closed or not all of them
   * are in memory and free.
   */
  public @Nullable LentBlocks tryLend(BlockSpans blocks, boolean write) {
    state.acquire();
    try {
      if (!strand.open || blocks.wanted() == 0) {
        return null;
      }
      strand.lookAtKept();
      return LentBlocks.take(state, strand, contiguous, blocks, write);
    } finally {
      state.release();
    }
  }

  /** A way for one thread to use whole blocks as memory. */
  public BlockPinner pinner() {
    return new BlockPinner(state, strand, contiguous);
  }

  /**
   * Pins blocks, ascending, for another process: see {@link Pin}. Null if too much is pinned
   * already, or the cache is too busy: then the bytes have to be moved another way.
   */
  public @Nullable Pin pin(List<Pin.Blocks> blocks, boolean write) throws IOException {
    StrandLimits.checkBlocks(blocks, strand.shift);
    state.acquire();
    try {
      look();
      return parts.pins().take(strand, blocks, write, null, state.deadline());
    } finally {
      state.release();
    }
  }

  /**
   * Pins blocks, ascending, for another process that writes into them again and again, and notes
   * what it has written; as {@link #pin}. It may be ended at any time. Null also if blocks would
   * have to be loaded that lie before the one in which the strand ends.
   */
  public @Nullable Pin keep(List<Pin.Blocks> blocks, WriteNotes notes) throws IOException {
    StrandLimits.checkBlocks(blocks, strand.shift);
    state.acquire();
    try {
      look();
      for (Pin.Blocks run : blocks) {
        if (parts.pins().wouldLoad(strand, run)) {
          return null;
        }
      }
      return parts.pins().take(strand, blocks, true, notes, state.deadline());
    } finally {
      state.release();
    }
  }

  /** Whether {@link #pin} would not have to wait, at a glance. */
  public boolean isReadyToPin(List<Pin.Blocks> blocks, boolean write) {
    if (StrandLimits.wrong(blocks, strand.shift) != null) {
      return false; // who tries to pin them is told so
    }
    state.acquire();
    try {
      return parts.pins().isReady(strand, blocks, write);
    } finally {
      state.release();
    }
  }

  /** Every call begins here: with an open strand, and all that counts by now. */
  private void look() throws MillraceException {
    strand.checkOpen();
    strand.lookAtKept();
  }

  private void charge(long blocks, long bytes, long pieces) {
    Env env = state.env;
    env.charge(Work.CACHE, blocks);
    env.charge(Work.COPY, bytes);
    env.charge(Work.PIECE, pieces);
  }

  /** Bytes of a block, the unit of caching and of transfers. */
  public int blockBytes() {
    return strand.blockBytes();
  }

  /** One past the highest byte written, or what the last {@link #resize} said. */
  public long end() {
    state.acquire();
    try {
      strand.lookAtKept();
      return strand.end;
    } finally {
      state.release();
    }
  }

  /**
   * When the strand was last modified, in nanoseconds since 1970; 0 if that is not known. No two
   * writes have the same time.
   */
  public long modified() {
    state.acquire();
    try {
      strand.lookAtKept();
      return strand.modified;
    } finally {
      state.release();
    }
  }

  /** Cuts or extends. What lies beyond the end is forgotten; what an extension adds is zero. */
  public void resize(long end) throws IOException {
    resize(end, true);
  }

  /** Extends to at least {@code end}. Never truncates, even if others write at the same time. */
  public void extend(long end) throws IOException {
    resize(end, false);
  }

  private void resize(long end, boolean mayCut) throws IOException {
    StrandLimits.checkPlace(end, 0);
    state.acquire();
    try {
      look();
      long deadline = state.deadline();
      RangeLock.Range range = enter(end, Long.MAX_VALUE, true, deadline);
      try {
        strand.lookAtKept(); // again: this may have waited
        if (mayCut || end > strand.end) {
          state.modified(strand);
        }
        if (mayCut && end < strand.end) {
          parts.resize().cut(strand, end, deadline);
        } else if (end > strand.end) {
          strand.end = end;
          strand.changes++;
        }
      } finally {
        leave(range);
      }
    } finally {
      state.release();
    }
  }

  /**
   * Where the next byte at or behind {@code offset} may lie that was ever written, or -1 if there
   * is none. What lies before it is a hole; what lies behind it may still be zeros.
   */
  public long nextData(long offset) throws IOException {
    StrandLimits.checkPlace(offset, 0);
    state.acquire();
    try {
      look();
      long first = offset >>> strand.shift;
      long found = Long.MAX_VALUE; // what is dirty now is stored when the store has been asked
      for (Frame frame = strand.dirty.first(); frame != null; frame = strand.dirty.after(frame)) {
        found = frame.block < first ? found : Math.min(found, frame.block);
      }
      if (found > first) {
        found = Math.min(found, parts.resize().nextStored(strand, first, state.deadline()));
      }
      if (found >= strand.blocksOf(strand.end) || offset >= strand.end) {
        return -1;
      }
      return Math.max(offset, found << strand.shift);
    } finally {
      state.release();
    }
  }

  /** Preallocates space in the store for the bytes up to {@code end}, without moving the end. */
  public void preallocate(long end) throws IOException {
    StrandLimits.checkPlace(end, 0);
    state.acquire();
    try {
      look();
      parts.resize().preallocate(strand, end, state.deadline());
    } finally {
      state.release();
    }
  }

  /**
   * Begins to write back the dirty blocks of {@code [from, to)} that are whole, and does not wait:
   * they will be flushed soon. Those that cannot be written now are left to the flush, and so is
   * telling what goes wrong.
   */
  public void beginWriteBack(long from, long to) throws IOException {
    StrandLimits.checkPlace(from, to - from);
    state.acquire();
    try {
      look();
      parts.writeBack().begin(strand, from >>> strand.shift, strand.blocksOf(to));
    } finally {
      state.release();
    }
  }

  /** Returns after all that was written before is durable, and the end with it. */
  public void flush() throws IOException {
    state.acquire();
    try {
      look();
      parts.writeBack().flush(strand, state.deadline());
    } finally {
      state.release();
    }
  }

  /**
   * Fills empty slots, and only those, with blocks from the one at {@code offset} on, and waits
   * until they are there.
   */
  public void preload(long offset) throws IOException {
    StrandLimits.checkPlace(offset, 0);
    state.acquire();
    try {
      look();
      parts.readAhead().preload(strand, offset >>> strand.shift, state.deadline());
    } finally {
      state.release();
    }
  }

  /**
   * Starts to load what is absent of the range, as far as there are slots that need no write-back.
   * Does not wait and does not fail, whatever the disk does.
   */
  public void hint(long offset, long length) {
    StrandLimits.checkPlace(offset, length);
    state.acquire();
    try {
      long first = offset >>> strand.shift;
      long max = strand.blocksIn(state.slabs.limitBytes() / 2);
      long to = Math.min(strand.blocksOf(offset + length), first + max);
      if (length > 0) {
        parts.readAhead().onHint(strand, first, to);
      }
    } finally {
      state.release();
    }
  }

  /**
   * Ends the use of the strand: makes what was written durable, or forgets it if {@code discard}.
   * The store stays open. If it fails, the strand stays attached and nothing is lost. Idempotent.
   */
  public void detach(boolean discard) throws IOException {
    state.acquire();
    try {
      if (strand.open) {
        parts.resize().detach(strand, discard, state.deadline());
      }
    } finally {
      state.release();
    }
  }

  /** Throws if the state of this strand's cache is inconsistent. For tests. */
  public void checkInvariants() {
    state.acquire();
    try {
      Invariants.check(state);
      parts.pins().checkInvariants();
    } finally {
      state.release();
    }
  }

  private RangeLock.Range enter(long from, long to, boolean exclusive, long deadlineNanos)
      throws IOException {
    RangeLock.Range range = strand.ranges.arrive(from, to, exclusive);
    try {
      while (!strand.ranges.isGranted(range)) {
        state.await(
            strand.changed, deadlineNanos, strand, from >>> strand.shift, "end of other accesses");
      }
      strand.checkOpen();
      return range;
    } catch (MillraceException e) {
      leave(range);
      throw e;
    }
  }

  /** Ends a hold. */
  void letGo(RangeLock.Range range) {
    state.acquire();
    try {
      leave(range);
    } finally {
      state.release();
    }
  }

  private void leave(RangeLock.Range range) {
    if (strand.ranges.leave(range)) {
      strand.changed.signalAll();
    }
  }
}
