package org.millrace.sim.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Work;

/**
 * One simulated processor: work is done one piece after the other, in the order of coming, and
 * takes virtual time. It remembers when it was busy, so that what was left for others can be told.
 *
 * <p>Work of less than a microsecond is put on the account and done together with what follows, so
 * that a million small pieces are not a million waits; nothing is forgotten.
 *
 * <p>For threads of one seeded environment.
 */
public final class Processor {

  private static final long PICOS_PER_NANO = 1_000;
  private static final long LEAST_NANOS = 1_000;

  /** A stretch of time in which the processor worked. */
  public record Busy(long fromNanos, long toNanos) {}

  // constant after construction
  private final Env env;
  private final Speed speed;
  private final ReentrantLock lock = new ReentrantLock(true);

  // guarded by lock
  private final List<Busy> busy = new ArrayList<>();
  private long owedPicos;
  private long busyNanos;

  /** An idle processor. */
  public Processor(Env env, Speed speed) {
    this.env = env;
    this.speed = speed;
  }

  /** Does {@code amount} units of work, after what others have begun. */
  public void work(Work work, long amount) {
    long picos = speed.picos(work, amount);
    if (picos == 0) {
      return;
    }
    lock.lock();
    try {
      owedPicos += picos;
      long nanos = owedPicos / PICOS_PER_NANO;
      if (nanos >= LEAST_NANOS) {
        owedPicos -= nanos * PICOS_PER_NANO;
        run(nanos);
      }
    } finally {
      lock.unlock();
    }
  }

  private void run(long nanos) {
    long from = env.nanoTime();
    boolean interrupted = false;
    long until = from + nanos;
    while (env.nanoTime() < until) {
      try {
        env.sleep(until - env.nanoTime());
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    note(from, until);
  }

  private void note(long from, long to) {
    busyNanos += to - from;
    if (!busy.isEmpty() && busy.getLast().toNanos() == from) {
      busy.set(busy.size() - 1, new Busy(busy.getLast().fromNanos(), to));
    } else {
      busy.add(new Busy(from, to));
    }
  }

  /** When it worked, in order; neighbouring stretches are one. */
  public List<Busy> busy() {
    lock.lock();
    try {
      return List.copyOf(busy);
    } finally {
      lock.unlock();
    }
  }

  /** For how long it worked in all. */
  public long busyNanos() {
    lock.lock();
    try {
      return busyNanos;
    } finally {
      lock.unlock();
    }
  }

  /** Forgets when it worked until now. */
  public void forget() {
    lock.lock();
    try {
      busy.clear();
      busyNanos = 0;
    } finally {
      lock.unlock();
    }
  }
}
