package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.protocol.KeptCells;
import org.millrace.protocol.NodeReply.Kept;
import org.millrace.protocol.NodeReply.Pinned;
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

  private static final int MANY = 1 << 12;

  // constant after construction
  private final Env env;
  private final long operationNanos;
  private final StrandId strand;
  private final int blockBytes;
  private final int maxBlocks;

  /** So many writes must follow each other, and be served, for it to pay. */
  private final int few;

  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock: what is kept
  private @Nullable KeptWindow window;

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
    this.maxBlocks = KeptWindow.blocks(blockBytes);
    this.count = maxBlocks;
    this.few = few;
    this.needed = few;
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
    KeptWindow now = window;
    return now != null
        && now.link() == by
        && now.covers(offset, offset + length)
        && by.isConnected();
  }

  private boolean write(long offset, MemorySegment source, long at, long length) {
    KeptWindow now = Objects.requireNonNull(window, "kept");
    boolean counts = false;
    try {
      counts = now.write(env, offset, source, at, length);
    } finally {
      if (!counts) {
        giveBack();
      }
    }
    served++;
    last = offset;
    return counts;
  }

  /** Whether writes follow each other so closely that the next ones will be near, too. */
  private boolean isWorthKeeping(long offset) {
    KeptWindow now = window;
    if (now != null
        && served >= few
        && offset >= now.from()
        && offset - now.to() < now.to() - now.from()) {
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
    KeptWindow old = window;
    needed = old != null && served < few ? Math.min(MANY, 2 * needed) : needed;
    needed = served >= few ? few : needed;
    long returned = old != null && by == old.link() ? old.pin() : Pinned.NONE;
    window = null;
    streak = 0;
    served = 0;
    long deadline = env.deadlineAfter(operationNanos);
    var wanted = new KeptWindow.Wanted(by, slabs, strand, blockBytes, first, count);
    Kept kept = (Kept) wanted.ask(returned).await(deadline);
    if (kept.pin() <= Pinned.NONE) {
      needed = kept.pin() == Pinned.NEVER ? Integer.MAX_VALUE : Math.min(MANY, 2 * needed);
      count = Math.max(1, count / 2);
      return false;
    }
    count = maxBlocks;
    window = KeptWindow.map(wanted, kept, deadline);
    needed = window == null ? Integer.MAX_VALUE : needed;
    return window != null;
  }

  private void giveBack() {
    KeptWindow now = window;
    if (now != null) {
      now.giveBack();
    }
    window = null;
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
