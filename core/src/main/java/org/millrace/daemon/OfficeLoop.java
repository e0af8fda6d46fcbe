package org.millrace.daemon;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.millrace.cluster.Pause;
import org.millrace.coordinator.Lease;
import org.millrace.coordinator.ReplicatedLog;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.error.MillraceException;

/**
 * What one of several coordinators does as long as it lives: while it leads it serves as a
 * coordinator that has just been started, with the same log; while it follows it does not.
 *
 * <pre>
 *              awaitOffice, a new life begins
 *   following -------------------------------&gt; leading
 *       ^                                         |
 *       '-----------------------------------------'
 *         the lease is over: withdrawn, abandoned
 * </pre>
 *
 * <p>One thread of its own does all that. Closing leaves office and the group; idempotent.
 */
final class OfficeLoop implements AutoCloseable {

  private static final long RETRY_NANOS = 20_000_000L;

  /** Where it is done. */
  interface Holder {
    /** Begins a coordinator's life over the log of an office. */
    Held begin(ReplicatedLog.Office office) throws IOException;

    /** Nobody can reach the coordinator from now on; what was still said is not heard. */
    void follow();

    /** The member is of no use any more: its engine has failed. */
    void onLeft();
  }

  /** A coordinator in office. */
  interface Held {
    /** Lets others reach it. */
    void serve(Lease lease) throws IOException;

    /** Ends it without a word: another goes on. */
    void abandon() throws IOException;
  }

  // constant after construction
  private final Env env;
  private final ReplicatedLog replicated;
  private final Holder holder;
  private final Consumer<String> log;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  private String trouble = ""; // owned by its thread: what was told last

  // guarded by lock
  private boolean closing;
  private boolean running = true;

  /** Begins to follow. */
  OfficeLoop(Env env, String name, ReplicatedLog replicated, Holder holder, Consumer<String> log) {
    this.env = env;
    this.replicated = replicated;
    this.holder = holder;
    this.log = log;
    this.changed = env.signal(lock);
    holder.follow();
    env.start(ThreadKind.SERVICE, name, this::run);
  }

  private void run() {
    try {
      while (!isClosing()) {
        try {
          Optional<ReplicatedLog.Office> office = replicated.awaitOffice();
          if (office.isEmpty()) {
            leaveUnlessClosing();
            return;
          }
          hold(office.get());
        } catch (IOException | RuntimeException e) {
          complain("cannot lead: " + e);
          replicated.resign();
        }
        Pause.of(env, RETRY_NANOS); // a term is long
      }
    } catch (MillraceException e) {
      log.accept("ends: " + e.getMessage());
    } finally {
      lock.lock();
      try {
        running = false;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean isClosing() {
    lock.lock();
    try {
      return closing;
    } finally {
      lock.unlock();
    }
  }

  private void leaveUnlessClosing() {
    if (!isClosing()) {
      holder.onLeft();
    }
  }

  /** The same trouble comes again and again, and is told once. */
  private void complain(String what) {
    if (!what.equals(trouble)) {
      trouble = what;
      log.accept("trouble: " + what);
    }
  }

  /** Serves until the lease is over. */
  private void hold(ReplicatedLog.Office office) throws IOException {
    Held held;
    try {
      held = holder.begin(office);
    } catch (IOException | RuntimeException e) {
      office.lease().onCut();
      throw e;
    }
    try {
      held.serve(office.lease());
      trouble = "";
      office.lease().awaitOver();
    } finally {
      holder.follow();
      office.lease().onCut();
      held.abandon();
      log.accept("does not lead any more");
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closing = true;
    } finally {
      lock.unlock();
    }
    replicated.close(); // its lease is over, and nobody waits for office any more
    lock.lock();
    try {
      while (running) {
        changed.await(Env.NEVER); // it ends with the lease
      }
    } finally {
      lock.unlock();
    }
  }
}
