package org.millrace.sim.hunt;

import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.env.Work;

/**
 * A process whose clock runs slower or faster than that of the world. Immutable.
 *
 * @param process the process itself
 * @param rate seconds that its clock counts in one of the world's
 */
record DriftingEnv(ProcessEnv process, double rate) implements Env {

  @Override
  public long nanoTime() {
    return (long) (process.nanoTime() * rate);
  }

  private long ofWorld(long nanos) {
    return nanos == Env.NEVER ? Env.NEVER : (long) Math.ceil(nanos / rate) + 1;
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    process.sleep(ofWorld(nanos));
  }

  @Override
  public Signal signal(Lock lock) {
    Signal real = process.signal(lock);
    return new Signal() {
      @Override
      public boolean await(long deadlineNanos) {
        return real.await(ofWorld(deadlineNanos));
      }

      @Override
      public void signal() {
        real.signal();
      }

      @Override
      public void signalAll() {
        real.signalAll();
      }
    };
  }

  @Override
  public long wallMillis() {
    return process.wallMillis();
  }

  @Override
  public RandomGenerator random(String purpose) {
    return process.random(purpose);
  }

  @Override
  public Thread start(ThreadKind kind, String name, Runnable body) {
    return process.start(kind, name, body);
  }

  @Override
  public long threadNumber() {
    return process.threadNumber();
  }

  @Override
  public void charge(Work work, long amount) {
    process.charge(work, amount);
  }
}
