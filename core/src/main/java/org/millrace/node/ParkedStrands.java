package org.millrace.node;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.StrandId;

/**
 * Strands that are closed and stay so for a while, because they move to another node. Requests for
 * one wait until it is decided where it is, and the mover sees that somebody waits.
 *
 * <p>Guarded by the lock of its {@link OpenStrands}, which waits give up.
 */
final class ParkedStrands {

  private static final long PAUSE_NANOS = 1_000_000L;

  // constant after construction
  private final Env env;
  private final Signal changed;

  // guarded by the lock of the open strands
  private final Set<Long> parked = new HashSet<>();
  private final Set<Long> wanted = new HashSet<>();

  ParkedStrands(Env env, ReentrantLock lock) {
    this.env = env;
    this.changed = env.signal(lock);
  }

  void add(long key) {
    parked.add(key);
  }

  void remove(long key) {
    parked.remove(key);
    wanted.remove(key);
    changed.signalAll();
  }

  boolean has(long key) {
    return parked.contains(key);
  }

  /** Waits a moment. */
  void pause() {
    changed.await(env.deadlineAfter(PAUSE_NANOS));
  }

  /** Whether a request waits for it. */
  boolean isWanted(long key) {
    return wanted.contains(key);
  }

  /** Waits until a strand is not parked. */
  void await(long key, long timeoutNanos) throws MillraceException {
    if (parked.isEmpty()) {
      return;
    }
    long deadline = env.deadlineAfter(timeoutNanos);
    while (parked.contains(key)) {
      wanted.add(key);
      if (!changed.await(deadline) && parked.contains(key)) {
        throw new MillraceException(
            ErrorCode.NODE, StrandId.ofKey(key) + " is being moved to another node, try again");
      }
    }
  }
}
