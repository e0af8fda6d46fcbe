package org.millrace.node;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;

/**
 * Flushes strands that are about to be closed, all at the same time, so that the log of strands
 * forces them together: closed one after the other, each would wait for a force of its own. Whether
 * a flush fails is not told here: closing the strand flushes again, and says so.
 *
 * <p>For one thread at a time; its own threads end with each call.
 */
final class FlushAhead {

  /** So many strands at a time. */
  static final int MANY = 64;

  // constant after construction
  private final Env env;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal ended;

  // guarded by lock
  private int underWay;

  FlushAhead(Env env) {
    this.env = env;
    this.ended = env.signal(lock);
  }

  /** Returns when all are flushed, as far as that is possible. */
  void flush(List<OpenStrands.Open> strands) {
    lock.lock();
    try {
      underWay += strands.size();
    } finally {
      lock.unlock();
    }
    for (OpenStrands.Open one : strands) {
      env.start(ThreadKind.HELPER, "flush of " + one.id, () -> flush(one));
    }
    lock.lock();
    try {
      while (underWay > 0) {
        ended.await(Env.NEVER); // ends: the cache has a deadline for each
      }
    } finally {
      lock.unlock();
    }
  }

  private void flush(OpenStrands.Open one) {
    try {
      one.strand.flush();
    } catch (IOException e) {
      return; // closing it meets the same, or mends it
    } finally {
      lock.lock();
      try {
        underWay--;
        ended.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
