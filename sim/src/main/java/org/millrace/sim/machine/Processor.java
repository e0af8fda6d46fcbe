package org.millrace.sim.machine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.env.Env;
import org.millrace.env.Work;

/**
 * One simulated processor: it does one piece of work after the other, in order of arrival, in
 * virtual time. It records when it was busy.
 *
 * <p>Work is put on an account first and done when much has come together or when somebody needs
 * its result, so that a million small pieces are not a million waits. What is still on the account
 * when the last thread has ended is less than a request's.
 *
 * <p>Called by threads of one seeded environment, which run one at a time.
 */
public final class Processor {

  private static final long PICOS_PER_NANO = 1_000;

  /** So much is done at once; less waits for more. */
  private static final long MIN_PICOS = 25_000 * PICOS_PER_NANO;

  private static final int FEW = 64;

  // constant after construction
  private final Env env;
  private final Speed speed;

  // owned by whichever thread runs
  private long[] stretches = new long[FEW]; // from and to, in turn
  private int ends;
  private long owedPicos;
  private long freeAt = Long.MIN_VALUE / 2; // long ago
  private long busyNanos;

  /** An idle processor. */
  public Processor(Env env, Speed speed) {
    this.env = env;
    this.speed = speed;
  }

  /** Does {@code amount} units of work, after what others have begun; now or soon. */
  public void work(Work work, long amount) {
    owe(work, amount);
    if (owedPicos >= MIN_PICOS) {
      pay();
    }
  }

  /** As {@link #work}, but never waits: the next that works does it first. */
  public void owe(Work work, long amount) {
    owedPicos += speed.picos(work, amount);
  }

  /** Does all that is on the account, and waits until it is done. */
  public void pay() {
    Waiting.until(env, begin());
  }

  /** Begins all that is on the account; returns the instant at which it will be done. */
  public long begin() {
    long now = env.nanoTime();
    long nanos = owedPicos / PICOS_PER_NANO;
    if (nanos == 0) {
      return now;
    }
    owedPicos -= nanos * PICOS_PER_NANO;
    long from = Math.max(now, freeAt);
    freeAt = from + nanos;
    note(from, freeAt);
    return freeAt;
  }

  private void note(long from, long to) {
    busyNanos += to - from;
    if (ends > 0 && stretches[ends - 1] == from) {
      stretches[ends - 1] = to;
      return;
    }
    if (ends == stretches.length) {
      stretches = Arrays.copyOf(stretches, 2 * ends);
    }
    stretches[ends] = from;
    stretches[ends + 1] = to;
    ends += 2;
  }

  /** When it will have done all that was begun; an instant of the past if it is idle. */
  long freeAt() {
    return freeAt;
  }

  /**
   * How much of {@code [from, to)}, which lies in the past, it left to an application that needs
   * {@code switchNanos} to go on after each piece of work.
   */
  long leftNanos(long from, long to, long switchNanos) {
    long left = 0;
    long until = to;
    int i = ends - 2;
    while (until > from) {
      while (i >= 0 && stretches[i] >= until) {
        i -= 2; // begins later
      }
      long since = i < 0 ? from : Math.max(from, stretches[i + 1] + switchNanos);
      left += Math.max(0, until - since);
      until = i < 0 ? from : stretches[i];
    }
    return left;
  }

  /** When it worked, in order; neighbouring stretches are one. */
  public List<Busy> busy() {
    List<Busy> list = new ArrayList<>(ends / 2);
    for (int i = 0; i < ends; i += 2) {
      list.add(new Busy(stretches[i], stretches[i + 1]));
    }
    return list;
  }

  /** For how long it worked in all. */
  public long busyNanos() {
    return busyNanos;
  }

  /** Forgets when it worked until now. */
  public void forget() {
    ends = 0;
    busyNanos = 0;
  }
}
