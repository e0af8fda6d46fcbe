package org.millrace.node;

import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.millrace.env.Env;
import org.millrace.env.Signal;

/**
 * The queue of disk-directed calls that need a node's disk. The disk serves one call's schedule at
 * a time, first come, first served, so that two schedules do not move the arm back and forth. A
 * call that finds all its blocks in the cache does not queue.
 *
 * <p>Safe for use by several threads.
 */
final class DiskTurns {

  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  // guarded by lock: the first has the disk
  private final ArrayDeque<Object> calls = new ArrayDeque<>();

  DiskTurns(Env env) {
    this.changed = env.signal(lock);
  }

  /**
   * Waits until it is the call's turn at the disk; any of its threads may call this. False if the
   * call was stopped before.
   */
  boolean await(Object call, BooleanSupplier stopped) {
    lock.lock();
    try {
      if (!calls.contains(call)) {
        calls.add(call);
      }
      while (calls.peek() != call && !stopped.getAsBoolean()) {
        changed.await(Env.NEVER); // each call ends within the deadlines of the cache
      }
      return calls.peek() == call;
    } finally {
      lock.unlock();
    }
  }

  /** Lets calls that were stopped notice it. */
  void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The call is done with the disk, if it ever used it. */
  void leave(Object call) {
    lock.lock();
    try {
      if (calls.remove(call)) {
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }
}
