package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Work;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.message.Pending;
import org.millrace.protocol.KeptCells;
import org.millrace.protocol.NodeReply.Kept;
import org.millrace.protocol.NodeReply.Pinned;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.PinnedBlocks.BlockPlace;
import org.millrace.protocol.StrandId;

/**
 * Consecutive small writes to one strand, such as those of a log. After a few of them this side
 * asks the node to keep the next blocks pinned, and then writes into them without a message, as
 * {@link KeptCells} describes. A write that fails because the node has closed the cell is repeated
 * with a put. If keeping blocks did not pay off, more consecutive writes are needed before it is
 * tried again.
 *
 * <p>Safe for use by several threads: one lock; a thread that does not get it at once writes by a
 * put.
 */
final class KeptBlocks {

  /** How much is kept at a time, if the blocks are not larger. */
  private static final long SPAN_BYTES = 512 << 10;

  private static final int MANY = 1 << 12;
  private static final long NONE = 0;

  // constant after construction
  private final Env env;
  private final long operationNanos;
  private final StrandId strand;
  private final int blockBytes;
  private final int maxBlocks;

  /** So many writes must follow each other, and be served, for it to pay. */
  private final int few;

  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock: what is kept, of whom
  private @Nullable Link link;
  private long pin = NONE;
  private MemorySegment cells = MemorySegment.NULL;
  private int cell;
  private long from;
  private long to;
  private final MemorySegment[] memories;
  private final long[] places;

  // guarded by lock: whether it is worth while
  private long last;
  private int streak;
  private int needed;
  private int served;
  private int count;

  KeptBlocks(Env env, long operationNanos, StrandId strand, int blockBytes, int few) {
    this.env = env;
    this.operationNanos = operationNanos;
    this.strand = strand;
    this.blockBytes = blockBytes;
    this.maxBlocks = Math.clamp(SPAN_BYTES / blockBytes, 1, KeptCells.MAX_BLOCKS);
    this.count = maxBlocks;
    this.few = few;
    this.needed = few;
    this.memories = new MemorySegment[maxBlocks];
    this.places = new long[maxBlocks];
  }

  /**
   * Writes at an offset of the strand if the blocks are kept, or should be from now on. False if it
   * has to be written another way.
   */
  boolean tryWrite(Link by, long offset, MemorySegment source, long at, long length)
      throws IOException {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      boolean kept =
          isKept(by, offset, length) || (isWorthKeeping(offset) && tryKeep(by, offset, length));
      return kept && write(offset, source, at, length);
    } finally {
      lock.unlock();
    }
  }

  private boolean isKept(Link by, long offset, long length) {
    // a node that has ended must not be written to
    return pin != NONE && offset >= from && offset + length <= to && by == link && by.isConnected();
  }

  private boolean write(long offset, MemorySegment source, long at, long length) {
    if (!KeptCells.begin(cells, cell, pin)) {
      giveBack();
      return false;
    }
    boolean copied = false;
    boolean counts;
    try {
      copy(offset, source, at, length);
      copied = true;
    } finally {
      long end = copied ? offset + length - from : 0;
      counts = KeptCells.end(cells, cell, pin, blocks(offset, length), end);
      if (!counts) {
        giveBack();
      }
    }
    served++;
    last = offset;
    return counts;
  }

  private long blocks(long offset, long length) {
    int first = (int) ((offset - from) / blockBytes);
    int limit = (int) ((offset + length - 1 - from) / blockBytes) + 1;
    return (1L << limit) - (1L << first);
  }

  private void copy(long offset, MemorySegment source, long at, long length) {
    env.charge(Work.COPY, length);
    env.charge(Work.PIECE, 1);
    for (long done = 0; done < length; ) {
      int block = (int) ((offset + done - from) / blockBytes);
      long in = (offset + done - from) % blockBytes;
      long part = Math.min(length - done, blockBytes - in);
      MemorySegment.copy(source, at + done, memories[block], places[block] + in, part);
      done += part;
    }
  }

  /** Whether writes follow each other so closely that the next ones will be near, too. */
  private boolean isWorthKeeping(long offset) {
    if (pin != NONE && served >= few && offset >= from && offset - to < to - from) {
      return true; // the log goes on
    }
    boolean near = Math.abs(offset - last) < (long) count * blockBytes;
    streak = near ? streak + 1 : 0;
    last = offset;
    return streak >= needed;
  }

  private boolean tryKeep(Link by, long offset, long length) throws IOException {
    try {
      return keep(by, offset, length);
    } catch (DeadlineException e) {
      throw e;
    } catch (MillraceException e) {
      needed = MANY;
      return false; // the put that follows says what is wrong
    }
  }

  /** Asks the node to keep the blocks from an offset on, in place of those that it keeps now. */
  private boolean keep(Link by, long offset, long length) throws IOException {
    MappedSlabs slabs = by.reached();
    if (slabs == null || !slabs.isUseful() || !by.isConnected()) {
      return false;
    }
    long first = offset / blockBytes;
    if (offset + length > (first + count) * blockBytes) {
      return false;
    }
    needed = pin != NONE && served < few ? Math.min(MANY, 2 * needed) : needed;
    needed = served >= few ? few : needed;
    long returned = by == link ? pin : NONE;
    pin = NONE;
    streak = 0;
    served = 0;
    var request = new NodeRequest.Keep(strand, blockBytes, slabs.process(), first, count, returned);
    Kept kept = (Kept) by.call(request, MemorySegment.NULL, deadline());
    if (kept.pin() <= Pinned.NONE) {
      needed = kept.pin() == Pinned.NEVER ? Integer.MAX_VALUE : Math.min(MANY, 2 * needed);
      count = Math.max(1, count / 2);
      return false;
    }
    link = by;
    pin = kept.pin();
    cell = kept.cell();
    from = first * blockBytes;
    to = from + (long) count * blockBytes;
    count = maxBlocks;
    if (!map(by, slabs, kept.places())) {
      needed = Integer.MAX_VALUE;
      giveBack();
      return false;
    }
    return true;
  }

  /** Maps what is kept; false if this process cannot. */
  private boolean map(Link by, MappedSlabs slabs, List<BlockPlace> there) throws IOException {
    MemorySegment words = NodeSlabs.mapCells(by, slabs, deadline());
    if (words == null) {
      return false;
    }
    cells = words;
    int block = 0;
    int limit = (int) ((to - from) / blockBytes);
    for (BlockPlace place : there) {
      MemorySegment memory = NodeSlabs.map(by, slabs, place, deadline());
      if (memory == null) {
        return false;
      }
      long bytes = (long) place.count() * blockBytes;
      if (place.count() < 1
          || place.count() > limit - block
          || place.offset() < 0
          || place.offset() > memory.byteSize() - bytes) {
        throw wrong(there);
      }
      for (int i = 0; i < place.count(); i++, block++) {
        memories[block] = memory;
        places[block] = place.offset() + (long) i * blockBytes;
      }
    }
    if (block != limit || (cell + 1L) * KeptCells.CELL_BYTES > words.byteSize() || cell < 0) {
      throw wrong(there);
    }
    return true;
  }

  private long deadline() {
    return env.deadlineAfter(operationNanos);
  }

  private MillraceException wrong(List<BlockPlace> there) {
    return new MillraceException(
        ErrorCode.PROTOCOL, "kept blocks of " + strand + " are said to lie at " + there);
  }

  /** Releases the kept blocks without waiting; the node reclaims them eventually anyway. */
  private void giveBack() {
    Link by = link;
    MappedSlabs slabs = by == null ? null : by.reached();
    if (pin != NONE && by != null && slabs != null) {
      var request = new NodeRequest.Keep(strand, blockBytes, slabs.process(), 0, 0, pin);
      Pending _ = by.start(request, MemorySegment.NULL);
    }
    pin = NONE;
  }

  /** Gives back what is kept. */
  void close() {
    lock.lock();
    try {
      giveBack();
    } finally {
      lock.unlock();
    }
  }
}
