package org.millrace.spark;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.BarrierTaskContext;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.launch.Launched;

/**
 * Looks whether Spark has told a task to end. Spark only makes a note of it, and a program that
 * computes would go on and write its files while the next attempt does. So its session is ended.
 *
 * <p>Safe for use by two threads, that of the rank and its own. Closing ends the watch.
 */
final class KillWatch implements AutoCloseable {

  private static final long POLL_MILLIS = 50;

  // constant after construction
  private final BarrierTaskContext context;
  private final Thread watcher;

  private final AtomicBoolean over = new AtomicBoolean();

  private KillWatch(BarrierTaskContext context, Launched launched) {
    this.context = context;
    this.watcher = Thread.ofVirtual().unstarted(() -> watch(launched));
  }

  static KillWatch over(BarrierTaskContext context, Launched launched) {
    KillWatch watch = new KillWatch(context, launched);
    watch.watcher.start();
    return watch;
  }

  private void watch(Launched launched) {
    try {
      while (!over.get()) {
        if (context.isInterrupted()) {
          end(launched);
          return;
        }
        Thread.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      // nobody does that
    }
  }

  private void end(Launched launched) {
    if (over.compareAndSet(false, true)) {
      launched.cutOff("Spark has told its task to end");
    }
  }

  /** Refuses to go on for a task that was told to end. */
  void check() throws IOException {
    if (context.isInterrupted()) {
      throw new MillraceException(ErrorCode.CLOSED, "Spark has told this task to end");
    }
  }

  @Override
  public void close() {
    over.set(true);
  }
}
