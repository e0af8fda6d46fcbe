package org.millrace.bench.measure;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;

/**
 * A few platform threads that work on one task at a time, as an expert would keep them for the
 * inner loop of one program. Between repetitions they spin, so that the time of a short task does
 * not include waking a thread.
 *
 * <p>One thread at a time may call {@link #run}. Closing ends the threads.
 */
public final class WorkerThreads implements AutoCloseable {

  /** One thread for each core of a small machine. */
  public static final int WORKERS = 2;

  private static final int SPINS = 20_000;

  /** What all workers do together. */
  public interface Task {

    /** Called by one thread before each repetition. */
    void begin();

    /** The share of one worker. */
    public void run(int worker) throws IOException;
  }

  // constant after construction
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger arrived = new AtomicInteger();

  private volatile int turn;

  @GuardedBy("lock")
  private @Nullable Task task;

  @GuardedBy("lock")
  private int times;

  @GuardedBy("lock")
  private long job;

  @GuardedBy("lock")
  private int busy;

  @GuardedBy("lock")
  private @Nullable Exception failure;

  @GuardedBy("lock")
  private boolean closed;

  /** Starts the threads. */
  public WorkerThreads(Env env) {
    changed = env.signal(lock);
    for (int w = 0; w < WORKERS; w++) {
      int worker = w;
      threads.add(env.start(ThreadKind.DISK, "worker " + w, () -> work(worker)));
    }
  }

  /** Does the task so often, each time by all workers, and returns when it is done. */
  public void run(int howOften, Task what) throws IOException {
    lock.lock();
    try {
      task = what;
      times = howOften;
      busy = WORKERS;
      failure = null;
      job++;
      changed.signalAll();
      while (busy > 0) {
        changed.await(Env.NEVER);
      }
      if (failure instanceof IOException e) {
        throw e;
      }
      if (failure != null) {
        throw new IllegalStateException(failure);
      }
    } finally {
      lock.unlock();
    }
  }

  private void work(int worker) {
    long done = 0;
    while (true) {
      Task mine;
      int howOften;
      lock.lock();
      try {
        while (job == done && !closed) {
          changed.await(Env.NEVER);
        }
        if (closed || task == null) {
          return;
        }
        done = job;
        mine = task;
        howOften = times;
      } finally {
        lock.unlock();
      }
      @Nullable Exception error = repeat(worker, mine, howOften);
      lock.lock();
      try {
        busy--;
        failure = failure == null ? error : failure;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private @Nullable Exception repeat(int worker, Task mine, int howOften) {
    Exception error = null;
    for (int i = 0; i < howOften; i++) {
      meet(mine);
      try {
        mine.run(worker);
      } catch (IOException | RuntimeException e) {
        error = e; // but goes on, or the other would wait for ever
      }
    }
    return error;
  }

  /** Returns when all workers are here; the last one begins the task. */
  private void meet(Task mine) {
    int mineTurn = turn;
    if (arrived.incrementAndGet() == WORKERS) {
      arrived.set(0);
      mine.begin();
      turn = mineTurn + 1;
      return;
    }
    for (int spins = 0; turn == mineTurn; spins++) {
      if (spins < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    for (Thread thread : threads) {
      boolean interrupted = false;
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
