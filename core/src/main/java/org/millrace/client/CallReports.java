package org.millrace.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.protocol.CoordinatorRequest;

/**
 * Tells the coordinator of a session's collective calls, for people who look at the cluster: a
 * second after the first call that it has not heard of, and when a rank leaves. No call waits for
 * that. What cannot be told is dropped.
 *
 * <p>Safe for use by several threads: one lock, not held while anything is asked. A thread begins
 * with the first call and ends with the session.
 */
final class CallReports {

  private static final long EVERY_NANOS = 1_000_000_000L;

  // constant after construction
  private final Session session;
  private final Env env;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  // guarded by lock
  private final List<CallLog> waiting = new ArrayList<>(); // logs that have something to tell
  private boolean started;
  private boolean closed;

  CallReports(Session session, Env env) {
    this.session = session;
    this.env = env;
    this.changed = env.signal(lock);
  }

  /** A log has something to tell, and had nothing before. */
  void onNew(CallLog log) {
    lock.lock();
    try {
      waiting.add(log);
      if (waiting.size() == 1) {
        changed.signalAll();
      }
      if (!started && !closed) {
        started = true;
        env.start(ThreadKind.HELPER, "calls of participant " + session.participant(), this::run);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Tells all that there is, without waiting for an answer. */
  void tellNow() {
    for (CallLog log : taken()) {
      log.take().ifPresent(report -> session.start(report).abandon());
    }
  }

  private List<CallLog> taken() {
    lock.lock();
    try {
      List<CallLog> taken = List.copyOf(waiting);
      waiting.clear();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (awaitDue()) {
      for (CallLog log : taken()) {
        tell(log.take());
      }
    }
  }

  private void tell(Optional<CoordinatorRequest> report) {
    try {
      if (report.isPresent()) {
        session.ask(report.get());
      }
    } catch (IOException e) {
      // dropped: people miss a second of calls, programs nothing
    }
  }

  /** Waits until there has been something to tell for a second; false when this ends. */
  private boolean awaitDue() {
    lock.lock();
    try {
      while (!closed && waiting.isEmpty()) {
        changed.await(Env.NEVER);
      }
      long due = env.deadlineAfter(EVERY_NANOS);
      while (!closed && env.nanoTime() < due) {
        changed.await(due);
      }
      return !closed;
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
