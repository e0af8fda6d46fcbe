package org.millrace.cli.terminal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;

/**
 * Lets a program end in order when it is interrupted from the keyboard or asked to terminate: it is
 * told, and the JVM waits for it, but not for ever.
 *
 * <p>Safe for use by several threads. Closing says that the program has ended; it is idempotent.
 */
public final class StopHook implements AutoCloseable {

  /** Longer than a checkpoint takes, shorter than users wait. */
  private static final long TIMEOUT_NANOS = 15_000_000_000L;

  /** For the line that says what came of it. */
  private static final long LAST_WORDS_NANOS = 2_000_000_000L;

  private static final long LOOK_NANOS = 2_000_000L;

  // Constant after construction.
  private final Env env;
  private final Runnable whenAsked;
  private final Runnable tooLate;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal ended;

  private volatile boolean asked;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * Begins to listen.
   *
   * @param tooLate what to do when the program has not ended in time, before the JVM ends it
   */
  public StopHook(Env env, Runnable tooLate) {
    this(env, () -> {}, tooLate);
  }

  /**
   * As {@link #StopHook(Env, Runnable)}, for a program that does not ask by itself.
   *
   * @param whenAsked makes it end
   */
  public StopHook(Env env, Runnable whenAsked, Runnable tooLate) {
    this.env = env;
    this.whenAsked = whenAsked;
    this.tooLate = tooLate;
    this.ended = env.signal(lock);
    // Not from env: the JVM itself starts it, and only wants to be given it unstarted.
    this.thread = Thread.ofPlatform().name("stop").unstarted(this::stop);
    Runtime.getRuntime().addShutdownHook(thread);
  }

  /** Whether the program shall end. */
  public boolean isAsked() {
    return asked;
  }

  private void stop() {
    asked = true;
    whenAsked.run();
    long deadline = env.deadlineAfter(TIMEOUT_NANOS);
    lock.lock();
    try {
      while (!closed) {
        if (!ended.await(deadline)) {
          tooLate.run();
          return;
        }
      }
    } finally {
      lock.unlock();
    }
    awaitLastWords();
  }

  /**
   * The JVM ends with its last hook, whatever its main thread still has to print. When that has
   * nothing left to do it asks for the end, too, and is blocked there.
   */
  private void awaitLastWords() {
    long deadline = env.deadlineAfter(LAST_WORDS_NANOS);
    for (Thread one : Thread.getAllStackTraces().keySet()) {
      while (one.getName().equals("main")
          && one.isAlive()
          && one.getState() != Thread.State.BLOCKED
          && env.nanoTime() < deadline) {
        try {
          env.sleep(LOOK_NANOS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      ended.signalAll();
    } finally {
      lock.unlock();
    }
    if (!asked) {
      try {
        Runtime.getRuntime().removeShutdownHook(thread);
      } catch (IllegalStateException e) {
        // the JVM has begun to end; the hook sees that this is closed
      }
    }
  }
}
