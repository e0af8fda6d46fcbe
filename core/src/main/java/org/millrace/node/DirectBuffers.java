package org.millrace.node;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;

/**
 * The buffers of one disk-directed call, and the next step at the disk. A step holds a buffer from
 * its read until its last piece has been sent, or from its first piece until it is written. If
 * there is more than one buffer, one is always left to the network. So with two buffers the disk
 * works exactly one step ahead of the network, or behind it, and has one transfer at a time, in the
 * order of the schedule.
 *
 * <pre>
 *   read    take - awaitTurn - takeBuffer and disk - load - leaveDisk - scatter - giveBuffer
 *                           '- pass, if the cache holds all of it - scatter
 *   write   take - awaitTurn - takeBuffer - enterMove - gather - leaveMove - enterDisk - write ...
 *                           '- takeBuffer and disk, if bytes of it stay - load - leaveDisk - enterMove ...
 *           ... write - leaveDisk - giveBuffer
 * </pre>
 *
 * <p>Only as many steps of a write gather as there are processors for it, the earliest first: if
 * all shared the processors none would be ready for the disk before almost all are.
 *
 * <p>When one step has failed no thread waits: methods that wait then return false, and no step is
 * taken.
 *
 * <p>Safe for use by several threads.
 */
final class DirectBuffers {

  // constant after construction
  private final int steps;
  private final int buffers;
  private final int transfers;
  private final int movers;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  // guarded by lock
  private int taken; // steps that a thread has
  private int turn; // the step that may take a buffer next
  private int moved; // the step that may gather next
  private int moving;
  private int written; // the step that may be written next
  private int inUse;
  private int atDisk;
  private int busy;
  private @Nullable Throwable failure;

  /** So many buffers for so many steps, of which so many gather at a time. */
  DirectBuffers(Env env, int steps, int buffers, int movers) {
    this.movers = movers;
    this.steps = steps;
    this.buffers = buffers;
    this.transfers = Math.max(1, buffers - 1);
    this.changed = env.signal(lock);
  }

  /** The next step in the schedule's order, for one thread; -1 if there is none. */
  int take() {
    lock.lock();
    try {
      if (taken == steps || failure != null) {
        return -1;
      }
      busy++;
      return taken++;
    } finally {
      lock.unlock();
    }
  }

  /** A step that was taken is done, or given up. */
  void done() {
    lock.lock();
    try {
      busy--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** How many steps no thread has taken. */
  int left() {
    lock.lock();
    try {
      return steps - taken;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all earlier steps have their buffers, or need none. */
  boolean awaitTurn(int step) {
    lock.lock();
    try {
      while (turn != step && failure == null) {
        changed.await(Env.NEVER);
      }
      return failure == null;
    } finally {
      lock.unlock();
    }
  }

  /** The step, whose turn it is, needs no buffer. */
  void pass() {
    lock.lock();
    try {
      turn++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a buffer for the step whose turn it is, and for the disk if {@code disk}. */
  boolean takeBuffer(boolean disk) {
    lock.lock();
    try {
      while (failure == null && (inUse == buffers || (disk && atDisk == transfers))) {
        changed.await(Env.NEVER);
      }
      if (failure != null) {
        return false;
      }
      inUse++;
      atDisk += disk ? 1 : 0;
      turn++;
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all earlier steps gather or have done so, and for a processor. */
  boolean enterMove(int step) {
    lock.lock();
    try {
      while (failure == null && (moved != step || moving == movers)) {
        changed.await(Env.NEVER);
      }
      if (failure != null) {
        return false;
      }
      moved++;
      moving++;
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** A step has gathered. */
  void leaveMove() {
    lock.lock();
    try {
      moving--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all earlier steps were given to the disk, and for the disk. */
  boolean enterDisk(int step) {
    lock.lock();
    try {
      while (failure == null && (written != step || atDisk == transfers)) {
        changed.await(Env.NEVER);
      }
      if (failure != null) {
        return false;
      }
      written++;
      atDisk++;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** A transfer has ended. */
  void leaveDisk() {
    lock.lock();
    try {
      atDisk--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void giveBuffer() {
    lock.lock();
    try {
      inUse--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A step has failed; the first failure is the call's. */
  void fail(Throwable reason) {
    lock.lock();
    try {
      if (failure == null) {
        failure = reason;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the steps that were taken; returns the first failure, or null. */
  @Nullable Throwable awaitAll() {
    lock.lock();
    try {
      while (busy > 0) {
        changed.await(Env.NEVER); // each transfer ends within the deadlines of the cache
      }
      return failure;
    } finally {
      lock.unlock();
    }
  }
}
