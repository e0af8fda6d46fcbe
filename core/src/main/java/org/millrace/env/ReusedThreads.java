package org.millrace.env;

import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Platform threads that are kept for a while after their work has ended, because starting one takes
 * longer than most of their work. The last thread to become idle is the first to be reused.
 *
 * <p>How it works: an idle worker is in the deque. The thread that takes it out owns it and gives
 * it work; a worker that has waited long enough takes itself out and ends, unless somebody was
 * faster.
 *
 * <p>Safe for use by several threads. Threads are daemons; nothing to close.
 */
final class ReusedThreads {

  private static final long KEEP_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final ConcurrentLinkedDeque<Worker> idle = new ConcurrentLinkedDeque<>();

  /** Runs {@code body} on a thread that is called {@code name} meanwhile. */
  Thread start(String name, Runnable body) {
    Worker worker = idle.pollFirst();
    if (worker == null) {
      Worker fresh = new Worker();
      fresh.body = body;
      fresh.name = name;
      return Thread.ofPlatform().daemon().name(name).start(fresh);
    }
    Thread thread = Objects.requireNonNull(worker.thread, "started");
    worker.name = name;
    worker.body = body;
    LockSupport.unpark(thread);
    return thread;
  }

  private final class Worker implements Runnable {

    // set by its own thread before it first falls idle
    private @Nullable Thread thread;

    // set by the owner of the worker; body last, which publishes the name
    private String name = "";
    private volatile @Nullable Runnable body;

    @Override
    public void run() {
      Thread me = Thread.currentThread();
      thread = me;
      Runnable work = body;
      while (work != null) {
        me.setName(name);
        body = null;
        Thread.interrupted(); // who interrupts an idle thread means work that has ended
        try {
          work.run();
        } catch (Throwable e) {
          me.getUncaughtExceptionHandler().uncaughtException(me, e);
        }
        me.setName("idle");
        idle.addFirst(this);
        work = await();
      }
    }

    /** The next work; null if there was none for long. */
    private @Nullable Runnable await() {
      long end = System.nanoTime() + KEEP_NANOS;
      while (true) {
        Runnable work = body;
        if (work != null) {
          return work;
        }
        Thread.interrupted(); // or parking would be spinning
        long left = end - System.nanoTime();
        if (left > 0) {
          LockSupport.parkNanos(this, left);
        } else if (idle.removeFirstOccurrence(this)) {
          return null;
        } else {
          LockSupport.parkNanos(this, KEEP_NANOS); // this one was taken: work is on its way
        }
      }
    }
  }
}
