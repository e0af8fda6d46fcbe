package org.millrace.sim.hunt;

import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.Signal;

/** Bugs at waiting and waking. Stateless. */
final class PlantedEnvs {

  private PlantedEnvs() {}

  /** One of some hundred wake-ups of daemons gets lost. */
  static Planted lostWakeUp() {
    return new Planted() {
      @Override
      public ProcessEnv env(SeededEnv world, String name) {
        RandomGenerator random = world.random("lost wake-ups of " + name);
        return new ProcessEnv(world, name) {
          @Override
          public Signal signal(Lock lock) {
            return new Wrapped(super.signal(lock)) {
              @Override
              public void signal() {
                if (random.nextInt(300) > 0) {
                  super.signal();
                }
              }

              @Override
              public void signalAll() {
                if (random.nextInt(300) > 0) {
                  super.signalAll();
                }
              }
            };
          }
        };
      }
    };
  }

  /** All wait without a limit. */
  static Planted missedDeadline() {
    return new Planted() {
      @Override
      public ProcessEnv env(SeededEnv world, String name) {
        return new ProcessEnv(world, name) {
          @Override
          public Signal signal(Lock lock) {
            return new Wrapped(super.signal(lock)) {
              @Override
              public boolean await(long deadlineNanos) {
                // a short one is no deadline but a beat
                boolean beat = deadlineNanos - nanoTime() < 2 * World.SECOND;
                return super.await(beat ? deadlineNanos : Env.NEVER);
              }
            };
          }
        };
      }
    };
  }

  /** A signal that does what another does. */
  private abstract static class Wrapped implements Signal {

    private final Signal real;

    Wrapped(Signal real) {
      this.real = real;
    }

    @Override
    public boolean await(long deadlineNanos) {
      return real.await(deadlineNanos);
    }

    @Override
    public void signal() {
      real.signal();
    }

    @Override
    public void signalAll() {
      real.signalAll();
    }
  }
}
