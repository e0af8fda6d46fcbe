package org.millrace.message;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.wire.Pool;

/**
 * The slabs of shared memory that were announced to the other side of a link.
 *
 * <p>Safe for use by several threads: one lock, held while it tells, so that nobody names memory
 * that was not announced before.
 */
final class Announcements {

  private final @Nullable Pool pool;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock: to whom how many slabs are known
  private @Nullable Connection known;
  private int count;

  Announcements(@Nullable Pool pool) {
    this.pool = pool;
  }

  /** Tells of all memory that was not told of over this connection. */
  void send(Connection to) {
    Pool all = pool;
    if (all == null) {
      return;
    }
    lock.lock();
    try {
      if (known != to) {
        known = to;
        count = 0;
      }
      for (; count < all.slabs(); count++) {
        Encoder body = new Encoder().putInt(count).putLong(all.bytes(count));
        to.send(FrameKind.SLAB, 0, 0, body.putText(all.path(count).toString()).written());
      }
    } finally {
      lock.unlock();
    }
  }
}
