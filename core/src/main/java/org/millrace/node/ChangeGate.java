package org.millrace.node;

import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;

/**
 * Keeps calls that change a store apart from one that must see it still. Every call ends: disks end
 * theirs, and requests to copies have deadlines.
 *
 * <p>Safe for use by several threads.
 */
final class ChangeGate {

  // constant after construction
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  // guarded by lock
  private int changing; // calls that change the store
  private boolean held; // no such call may begin

  ChangeGate(Env env) {
    this.changed = env.signal(lock);
  }

  /** A call that changes the store begins. */
  void enter() {
    lock.lock();
    try {
      while (held) {
        changed.await(Env.NEVER);
      }
      changing++;
    } finally {
      lock.unlock();
    }
  }

  void leave() {
    lock.lock();
    try {
      changing--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** No such call is under way from now on, and none begins. */
  void hold() {
    lock.lock();
    try {
      while (held) {
        changed.await(Env.NEVER);
      }
      held = true;
      while (changing > 0) {
        changed.await(Env.NEVER);
      }
    } finally {
      lock.unlock();
    }
  }

  void letGo() {
    lock.lock();
    try {
      held = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
