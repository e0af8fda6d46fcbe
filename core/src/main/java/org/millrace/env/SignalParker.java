package org.millrace.env;

import java.util.concurrent.locks.ReentrantLock;

/** A {@link Parker} for any environment: a permit under a lock. Safe for use by several threads. */
final class SignalParker implements Parker {

  private final ReentrantLock lock = new ReentrantLock();
  private final Signal given;

  // guarded by lock
  private boolean permit;

  SignalParker(Env env) {
    given = env.signal(lock);
  }

  @Override
  public boolean park(long deadlineNanos) {
    lock.lock();
    try {
      while (!permit) {
        if (!given.await(deadlineNanos) && !permit) {
          return false;
        }
      }
      permit = false;
      return true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void unpark() {
    lock.lock();
    try {
      permit = true;
      given.signal();
    } finally {
      lock.unlock();
    }
  }
}
