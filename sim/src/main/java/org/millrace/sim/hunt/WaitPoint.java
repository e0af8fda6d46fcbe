package org.millrace.sim.hunt;

import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;

/**
 * Where one thread of a process waits and others, of any process, wake it. It has a lock of its
 * own, whose queue never has anybody else in it: so it does not matter if its thread is killed.
 *
 * <p>For threads of one seeded environment.
 */
final class WaitPoint {

  private final ReentrantLock lock = new ReentrantLock();
  private final Signal signal;
  private boolean rung; // guarded by lock

  WaitPoint(Env env) {
    this.signal = env.signal(lock);
  }

  /** Waits until it is rung, or was since the last wait; or until an instant. */
  void await(long deadlineNanos) {
    lock.lock();
    try {
      while (!rung && signal.await(deadlineNanos)) {
        // woken for nothing
      }
      rung = false;
    } finally {
      lock.unlock();
    }
  }

  void ring() {
    lock.lock();
    try {
      rung = true;
      signal.signal();
    } finally {
      lock.unlock();
    }
  }
}
