package org.millrace.mount.serve;

import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;

/**
 * Whose turn it is to wait for the kernel's next request. The kernel gives requests in turn to all
 * that wait. If all workers did, the buffers of each would be out of the processor's caches when
 * its turn comes, which makes the copy of a large write take twice as long. So only two wait in the
 * kernel: one serves while the other waits, and then they change. When both serve, another worker
 * takes the place.
 *
 * <p>Safe for use by several threads.
 */
public final class Turns {

  private static final int MOST = 2;

  // Constant after construction.
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal free;

  // Guarded by the lock.
  private int waiting; // in the kernel

  /** Nobody waits yet. */
  public Turns(Env env) {
    free = env.signal(lock);
  }

  /** Returns when the thread should wait for a request. */
  void begin() {
    lock.lock();
    try {
      while (waiting == MOST) {
        free.await(Env.NEVER);
      }
      waiting++;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The thread has got a request, or there are none any more: somebody else must wait for the next,
   * or find that out.
   */
  void end() {
    lock.lock();
    try {
      waiting--;
      if (waiting == 0) {
        free.signal();
      }
    } finally {
      lock.unlock();
    }
  }
}
