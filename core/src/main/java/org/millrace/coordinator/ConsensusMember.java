package org.millrace.coordinator;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;

/**
 * A member of a group of coordinators whose log some {@link Consensus} keeps.
 *
 * <p>At most one member answers clients at any time. A leader answers while its {@link Lease} is
 * valid. Its lease is renewed by entries of the log: one that was sent at time t and is applied in
 * its term was taken by most members after t. A later leader is elected by most members, one of
 * which is among those; that one took the entry before it voted, since afterwards it would have
 * refused it. So t is before the election, and the new leader, which waits for longer than a lease
 * after it, answers only when the old one's has run out. This does not rest on when members vote,
 * on restarts or on dates: only on clocks that run at about the same speed.
 *
 * <p>A member whose engine fails leaves the group at once and for good.
 *
 * <p>Safe for use by several threads. Closing leaves office and closes the engine.
 */
public final class ConsensusMember implements ReplicatedLog {

  private static final long MILLI = 1_000_000;
  private static final long LOOK_NANOS = 10 * MILLI;

  // constant after construction
  private final Env env;
  private final LeaseTimes times;
  private final Consensus engine;
  private final Consumer<String> log;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  // guarded by lock
  private Lease lease; // of the last office
  private boolean closed;
  private boolean failed;

  /** A member that has joined. */
  public ConsensusMember(Env env, LeaseTimes times, Consensus engine, Consumer<String> log) {
    this.env = env;
    this.times = times;
    this.engine = engine;
    this.log = log;
    this.changed = env.signal(lock);
    this.lease = new Lease(env);
    this.lease.end();
  }

  /** Its log cannot be written or read any more. Called by the engine's threads, which go on. */
  public void onFailed(Throwable cause) {
    lock.lock();
    try {
      if (closed || failed) {
        return;
      }
      failed = true;
      lease.end();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    log.accept(
        "trouble: %s leaves the coordinators, its log failed: %s".formatted(engine.name(), cause));
    env.start(ThreadKind.SERVICE, engine.name() + " leaves", this::leave);
  }

  private void leave() {
    try {
      engine.close();
    } catch (IOException e) {
      log.accept("trouble: %s could not stop in order: %s".formatted(engine.name(), e));
    }
  }

  @Override
  public Optional<Office> awaitOffice() throws IOException {
    while (pause(LOOK_NANOS)) {
      long term = engine.leadingTerm();
      if (term != Consensus.NONE && outwait(term)) {
        return enter(term);
      }
    }
    return Optional.empty();
  }

  /** Waits until the lease of any leader before must have run out. */
  private boolean outwait(long term) throws IOException {
    long until = env.deadlineAfter(times.waitMillis() * MILLI);
    while (env.nanoTime() < until) {
      if (engine.leadingTerm() != term || !pause(LOOK_NANOS)) {
        return false;
      }
    }
    return engine.leadingTerm() == term;
  }

  private Optional<Office> enter(long term) {
    Lease fresh = new Lease(env);
    var office = new TermLog(env, engine, term, engine.state(), fresh, times.leaseMillis() * MILLI);
    lock.lock();
    try {
      if (closed || failed) {
        return Optional.empty();
      }
      lease = fresh;
    } finally {
      lock.unlock();
    }
    env.start(ThreadKind.SERVICE, "lease of " + engine.name(), () -> keep(office, fresh, term));
    return Optional.of(new Office(office, fresh));
  }

  /** Renews the lease, and ends it when this member does not lead any more. */
  private void keep(TermLog office, Lease mine, long term) {
    long next = env.nanoTime();
    try {
      while (!mine.isOver() && engine.leadingTerm() == term) {
        if (env.nanoTime() >= next) {
          office.beat();
          next = env.deadlineAfter(times.beatMillis() * MILLI);
        }
        if (!pause(LOOK_NANOS)) {
          return;
        }
      }
    } catch (IOException e) {
      return; // the engine has ended
    } finally {
      mine.end();
    }
  }

  /** False when this is closed, or has failed. */
  private boolean pause(long nanos) {
    long until = env.deadlineAfter(nanos);
    lock.lock();
    try {
      while (!closed && !failed && env.nanoTime() < until) {
        changed.await(until);
      }
      return !closed && !failed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void resign() {
    engine.resign();
  }

  @Override
  public List<MemberState> members() {
    return engine.members();
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closed = true;
      lease.end();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    engine.close();
  }
}
