package org.millrace.coordinator;

import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;

/**
 * Actions for timeouts. A thread waits for the next timer, and ends when there are none.
 *
 * <p>Methods are called with the coordinator's lock held, {@link #close} without it; so are the
 * actions. Closing forgets all timers and ends the thread.
 */
final class Timers implements AutoCloseable {

  /** Something that happens at an instant. */
  interface Action {
    /** Called with the coordinator's lock held. */
    void run(DeferredReplies answers);
  }

  /** A timer: when, and which of those that were set. */
  record Timer(long deadlineNanos, long number) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      int byTime = Long.compare(deadlineNanos, other.deadlineNanos);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  // constant after construction
  private final Env env;
  private final ReentrantLock lock;
  private final Signal changed;

  // guarded by the coordinator's lock
  private final TreeMap<Timer, Action> set = new TreeMap<>();
  private long nextNumber;
  private boolean running;
  private boolean closed;

  Timers(Env env, ReentrantLock lock) {
    this.env = env;
    this.lock = lock;
    this.changed = env.signal(lock);
  }

  /** Lets {@code action} run once {@code nanos} from now, unless it is cancelled. */
  Timer after(long nanos, Action action) {
    Timer timer = new Timer(env.deadlineAfter(nanos), nextNumber++);
    set.put(timer, action);
    if (running) {
      changed.signalAll();
    } else if (!closed) {
      running = true;
      env.start(ThreadKind.SERVICE, "coordinator timers", this::serve);
    }
    return timer;
  }

  void cancel(Timer timer) {
    set.remove(timer);
    changed.signalAll();
  }

  private void serve() {
    boolean more = true;
    while (more) {
      DeferredReplies answers = new DeferredReplies();
      lock.lock();
      try {
        more = awaitNext(answers);
        if (!more) {
          running = false;
          changed.signalAll();
        }
      } finally {
        lock.unlock();
      }
      answers.send();
    }
  }

  /** Waits for the first timer and runs its action; false if there is none. */
  private boolean awaitNext(DeferredReplies answers) {
    while (!closed && !set.isEmpty()) {
      long deadline = set.firstKey().deadlineNanos;
      if (deadline <= env.nanoTime()) {
        set.pollFirstEntry().getValue().run(answers);
        return true;
      }
      changed.await(deadline);
    }
    return false;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      set.clear();
      changed.signalAll();
      while (running) {
        changed.await(Env.NEVER);
      }
    } finally {
      lock.unlock();
    }
  }
}
