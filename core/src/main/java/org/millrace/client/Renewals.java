package org.millrace.client;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.protocol.Capability;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.transfer.Strands;

/**
 * Renews the capabilities of a session before they expire: after half of their time it requests a
 * new one and presents it to the nodes. Failures are retried.
 *
 * <p>Safe for use by several threads: one lock, not held while anything is asked. A thread begins
 * with the first file that needs it and ends with the session.
 */
final class Renewals {

  private static final long RETRY_NANOS = 10_000_000_000L;
  private static final long MIN_NANOS = 100_000_000L;
  private static final long MILLI = 1_000_000L;

  /** An open file whose capability is renewed at {@code dueNanos}. */
  private record Kept(long group, long open, Strands strands, long dueNanos) {}

  // constant after construction
  private final Session session;
  private final Env env;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  // guarded by lock
  private final Map<Long, Kept> byOpen = new HashMap<>();
  private long wakesNanos = Env.NEVER; // when the thread looks again by itself
  private boolean started;
  private boolean closed;

  Renewals(Session session, Env env) {
    this.session = session;
    this.env = env;
    this.changed = env.signal(lock);
  }

  /** From now on this open file is kept usable. */
  void add(long group, long open, Strands strands, Capability capability) {
    if (!strands.isGuarded()) {
      return;
    }
    lock.lock();
    try {
      Kept kept = new Kept(group, open, strands, due(capability));
      byOpen.put(open, kept);
      if (kept.dueNanos < wakesNanos) { // nearly never: it would look through all open files
        changed.signalAll();
      }
      if (!started && !closed) {
        started = true;
        env.start(ThreadKind.HELPER, "renewals of participant " + session.participant(), this::run);
      }
    } finally {
      lock.unlock();
    }
  }

  private long due(Capability capability) {
    long left = Math.max(0, capability.expiresMillis() - env.wallMillis());
    // the coordinator's clock may be behind: what looks expired must not be asked for all the time
    return env.deadlineAfter(left == 0 ? RETRY_NANOS : Math.max(MIN_NANOS, left / 2 * MILLI));
  }

  /** The file is closed. */
  void remove(long open) {
    lock.lock();
    try {
      byOpen.remove(open);
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    Optional<Kept> next = awaitDue();
    while (next.isPresent()) {
      Kept one = next.get();
      long due;
      try {
        var reply = session.ask(new CoordinatorRequest.Renew(one.group, one.open));
        Capability fresh = ((CoordinatorReply.Granted) reply).capability();
        one.strands.presentAgain(fresh);
        due = due(fresh);
      } catch (IOException e) {
        due = env.deadlineAfter(RETRY_NANOS); // accesses of the file meet the same error
      }
      again(new Kept(one.group, one.open, one.strands, due));
      next = awaitDue();
    }
  }

  private void again(Kept kept) {
    lock.lock();
    try {
      byOpen.computeIfPresent(kept.open, (_, _) -> kept);
    } finally {
      lock.unlock();
    }
  }

  /** The next file whose time has come; empty when this ends. */
  private Optional<Kept> awaitDue() {
    lock.lock();
    try {
      while (!closed) {
        Kept first = null;
        for (Kept one : byOpen.values()) {
          first = first == null || one.dueNanos < first.dueNanos ? one : first;
        }
        if (first != null && first.dueNanos <= env.nanoTime()) {
          return Optional.of(first);
        }
        wakesNanos = first == null ? Env.NEVER : first.dueNanos;
        changed.await(wakesNanos);
      }
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
