package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.protocol.StrandId;

/**
 * Large writes of a file that follow each other. After a few of them the nodes are asked to keep
 * the blocks of each strand that come next, ahead of the writes ({@link KeptAhead}): then a write
 * is one copy, and waits for nobody. What is not kept when it is needed has to be written another
 * way, from there to the end of the write. If that happens before much was served, more writes must
 * follow each other before it is tried again.
 *
 * <p>Safe for use by several threads: one lock; a thread that does not get it at once writes
 * another way. Closing gives back what is kept; it can still be used.
 */
final class SequentialWrites implements AutoCloseable {

  private static final int MANY = 1 << 12;

  /** Of more strands the next blocks are needed too late. */
  private static final int MOST_STRANDS = 64;

  // constant after construction
  private final TransferContext carrier;
  private final Layout layout;
  private final long unit;
  private final long file;
  private final StrandLinks links;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<Integer, KeptAhead> strands = new HashMap<>();
  private long next;
  private int streak;
  private int needed;

  SequentialWrites(TransferContext carrier, Layout layout, long file, StrandLinks links) {
    this.carrier = carrier;
    this.layout = layout;
    this.unit = layout.strands() == 1 ? Long.MAX_VALUE : layout.stripeUnitBytes();
    this.file = file;
    this.links = links;
  }

  /**
   * Writes as many of the bytes from their beginning as go into blocks that are kept; returns how
   * many. The rest has to be written another way.
   */
  long write(long offset, MemorySegment from, long at, long length) throws IOException {
    Link link = links.get(layout.strandOf(offset));
    MappedSlabs slabs = link.reached();
    if (slabs == null || !slabs.isUseful() || layout.strands() > MOST_STRANDS || !lock.tryLock()) {
      return 0;
    }
    try {
      boolean follows = offset == next;
      next = offset + length;
      if (!follows || needed == 0) {
        needed = Math.max(needed, slabs.minWrites());
        streak = 0;
        giveBack();
        return 0;
      }
      long done = strands.isEmpty() ? 0 : writeKept(offset, from, at, length);
      if (done == length) {
        return done;
      }
      onNotKept(slabs);
      return done;
    } finally {
      lock.unlock();
    }
  }

  private long writeKept(long offset, MemorySegment from, long at, long length) throws IOException {
    for (long done = 0; done < length; ) {
      long part = Math.min(length - done, unit - (offset + done) % unit);
      KeptAhead strand = strand(layout.strandOf(offset + done));
      long written =
          strand == null
              ? 0
              : strand.write(layout.strandOffset(offset + done), from, at + done, part);
      done += written;
      if (written < part) {
        return done;
      }
    }
    return length;
  }

  /** Some of a write was not kept: has the nodes keep what comes after it, if that is worth it. */
  private void onNotKept(MappedSlabs slabs) {
    if (!strands.isEmpty()) {
      boolean paid = strands.values().stream().anyMatch(KeptAhead::hasPaid);
      needed = paid ? slabs.minWrites() : Math.min(MANY, 2 * needed);
      streak = paid ? needed : 0;
      giveBack();
    } else {
      streak++;
    }
    if (streak >= needed) {
      for (int s = 0; s < layout.strands(); s++) {
        KeptAhead strand = strand(s);
        if (strand != null) {
          strand.ask(layout.strandSize(s, next));
        }
      }
    }
  }

  private @Nullable KeptAhead strand(int s) {
    KeptAhead known = strands.get(s);
    if (known != null) {
      return known;
    }
    Link link = links.get(s);
    MappedSlabs slabs = link.reached();
    if (slabs == null || !slabs.isUseful()) {
      return null;
    }
    KeptAhead fresh =
        new KeptAhead(carrier, link, slabs, new StrandId(file, s), layout.blockBytes());
    strands.put(s, fresh);
    return fresh;
  }

  private void giveBack() {
    strands.values().forEach(KeptAhead::giveBack);
    strands.clear();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      giveBack();
      streak = 0;
    } finally {
      lock.unlock();
    }
  }
}
