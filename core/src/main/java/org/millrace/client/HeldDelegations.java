package org.millrace.client;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.files.DelegationHolder;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest.OfFile;
import org.millrace.protocol.Delegated;

/**
 * What is delegated to a session, and its request at the coordinator that is answered when
 * something is wanted back.
 *
 * <p>The right is the session's only while it is heard: if no request was answered for {@link
 * #LEASE_NANOS}, counted from when it was sent, everything is dropped, as if it had been wanted
 * back. The coordinator gives nobody else the right to write before that time is over.
 *
 * <p>A file can be wanted back before the answer to the open has come that delegated it. So while
 * opens are under way it is noted what was wanted back meanwhile.
 *
 * <p>Safe for use by several threads: one lock, not held while anything is asked or dropped.
 * Closing gives back everything; the thread ends with the session.
 */
final class HeldDelegations {

  /** Shorter than the time for which sessions may come back to a coordinator. */
  static final long LEASE_NANOS = 4_000_000_000L;

  private static final long ASKING_NANOS = 1_000_000_000L;
  private static final long PAUSE_NANOS = 250_000_000L;

  // constant after construction
  private final Session session;
  private final Env env;
  private final Map<Long, ClusterHandle> handles; // by open
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  // guarded by lock
  private int opening; // how many opens are under way
  private final Map<Long, Long> wanted = new HashMap<>(); // meanwhile, by file: the last open
  private long era; // changes when everything is lost
  private @Nullable DelegationHolder holder;
  private boolean closed;

  HeldDelegations(Session session, Map<Long, ClusterHandle> handles) {
    this.session = session;
    this.env = session.env();
    this.handles = handles;
    this.changed = env.signal(lock);
  }

  /** Asks for delegations from now on. */
  void start(DelegationHolder by) {
    lock.lock();
    try {
      holder = by;
    } finally {
      lock.unlock();
    }
    try {
      session.ask(new OfFile.GiveBack(List.of(), 0)); // so that the next open may be delegated
    } catch (IOException e) {
      // the thread asks again
    }
    env.start(
        ThreadKind.SERVICE,
        "delegations of participant " + session.participant(),
        () -> askAlways(by));
  }

  /** A file is about to be opened; returns what {@link #end} must know. */
  long begin() {
    lock.lock();
    try {
      opening++;
      return era;
    } finally {
      lock.unlock();
    }
  }

  /** A file was opened, and others can see its handle; or it was not. */
  void end(long since, @Nullable ClusterHandle handle) {
    lock.lock();
    try {
      if (handle != null
          && (since != era || wanted.getOrDefault(handle.id(), -1L) >= handle.open())) {
        handle.endDelegation();
      }
      opening--;
      if (opening == 0) {
        wanted.clear();
      }
    } finally {
      lock.unlock();
    }
  }

  private void askAlways(DelegationHolder by) {
    long heardNanos = env.nanoTime();
    while (!isOver()) {
      long sentNanos = env.nanoTime();
      try {
        var asked = new OfFile.GiveBack(List.of(), ASKING_NANOS);
        long deadline = heardNanos + LEASE_NANOS;
        var reply =
            (CoordinatorReply.WantedBack)
                session.coordinator().call(asked, Session.NOTHING, deadline);
        heardNanos = sentNanos;
        reply.wanted().forEach(one -> giveBackSoon(by, one));
      } catch (IOException e) { // also if it was not answered in time
        lose(by);
        pause();
        heardNanos = env.nanoTime();
      }
    }
    lose(by);
  }

  private boolean isOver() {
    lock.lock();
    try {
      return closed || session.coordinator().isBroken();
    } finally {
      lock.unlock();
    }
  }

  private void pause() {
    long until = env.deadlineAfter(PAUSE_NANOS);
    lock.lock();
    try {
      while (!closed && changed.await(until)) {
        // until the time is over, or this is closed
      }
    } finally {
      lock.unlock();
    }
  }

  /** One file that takes long must not keep others waiting: each has a thread of its own. */
  private void giveBackSoon(DelegationHolder by, Delegated one) {
    forget(one);
    env.start(
        ThreadKind.OPERATION,
        "gives back file " + one.file(),
        () -> {
          by.recalled(one.file());
          try {
            session.ask(new OfFile.GiveBack(List.of(one), 0));
          } catch (IOException e) {
            lose(by); // the coordinator takes the file away if it does not hear of it
          }
        });
  }

  private void forget(Delegated one) {
    lock.lock();
    try {
      if (opening > 0) {
        wanted.merge(one.file(), one.open(), Math::max);
      }
      handles.values().stream()
          .filter(handle -> handle.id() == one.file() && handle.open() <= one.open())
          .forEach(ClusterHandle::endDelegation);
    } finally {
      lock.unlock();
    }
  }

  private void lose(DelegationHolder by) {
    lock.lock();
    try {
      era++;
      handles.values().forEach(ClusterHandle::endDelegation);
    } finally {
      lock.unlock();
    }
    by.lost();
  }

  /** Nothing is kept any more. Idempotent. */
  void close() {
    DelegationHolder by;
    lock.lock();
    try {
      by = holder;
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (by != null) {
      lose(by);
    }
  }
}
