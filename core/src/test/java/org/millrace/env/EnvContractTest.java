package org.millrace.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** What every environment promises. */
abstract class EnvContractTest {

  private static final long MILLI = 1_000_000;

  interface Body {
    void in(Env env) throws Exception;
  }

  /** Runs {@code body} in a thread of the environment under test and throws what it throws. */
  abstract void run(Body body) throws Exception;

  @Test
  void sleepLetsTheTimePass() throws Exception {
    run(
        env -> {
          long before = env.nanoTime();
          env.sleep(3 * MILLI);
          assertThat(env.nanoTime() - before).isGreaterThanOrEqualTo(3 * MILLI);
        });
  }

  @Test
  void coarseTimeIsNeverAheadAndMovesOn() throws Exception {
    run(
        env -> {
          long first = env.coarseNanoTime();
          assertThat(env.nanoTime() - first).isNotNegative();
          long last = first;
          while (last - first < 20 * MILLI) {
            env.sleep(MILLI);
            long next = env.coarseNanoTime();
            assertThat(next - last).isNotNegative();
            assertThat(env.nanoTime() - next).isNotNegative();
            last = next;
          }
        });
  }

  @Test
  void awaitReturnsFalseWhenTheDeadlinePasses() throws Exception {
    run(
        env -> {
          ReentrantLock lock = new ReentrantLock();
          Signal signal = env.signal(lock);
          lock.lock();
          try {
            long deadline = env.deadlineAfter(2 * MILLI);
            while (signal.await(deadline)) {
              // woken for nothing
            }
            assertThat(env.nanoTime()).isGreaterThanOrEqualTo(deadline);
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            assertThat(signal.await(deadline)).as("a deadline in the past").isFalse();
          } finally {
            lock.unlock();
          }
          assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
  }

  @Test
  void awaitReturnsTrueWhenSignalledBeforeTheDeadline() throws Exception {
    for (long timeout : new long[] {3_600_000 * MILLI, Env.NEVER}) {
      run(
          env -> {
            ReentrantLock lock = new ReentrantLock();
            Signal signal = env.signal(lock);
            boolean[] go = {false};
            List<Boolean> results = new ArrayList<>();
            Thread waiter =
                env.start(
                    ThreadKind.RANK,
                    "waiter",
                    () -> {
                      lock.lock();
                      try {
                        long deadline = env.deadlineAfter(timeout);
                        boolean inTime = true;
                        while (!go[0] && inTime) {
                          inTime = signal.await(deadline);
                        }
                        results.add(inTime);
                      } finally {
                        lock.unlock();
                      }
                    });
            env.sleep(MILLI);
            lock.lock();
            try {
              go[0] = true;
              signal.signal();
            } finally {
              lock.unlock();
            }
            waiter.join();
            assertThat(results).containsExactly(true);
          });
    }
  }

  @Test
  void signalAllWakesAll() throws Exception {
    run(
        env -> {
          ReentrantLock lock = new ReentrantLock();
          Signal signal = env.signal(lock);
          boolean[] go = {false};
          AtomicInteger through = new AtomicInteger();
          CountDownLatch ended = new CountDownLatch(ThreadKind.values().length);
          for (ThreadKind kind : ThreadKind.values()) {
            env.start(
                kind,
                kind.name(),
                () -> {
                  lock.lock();
                  try {
                    while (!go[0]) {
                      signal.await(Env.NEVER);
                    }
                    through.incrementAndGet();
                  } finally {
                    lock.unlock();
                    ended.countDown();
                  }
                });
          }
          lock.lock();
          try {
            go[0] = true;
            signal.signalAll();
          } finally {
            lock.unlock();
          }
          ended.await();
          assertThat(through).hasValue(ThreadKind.values().length);
        });
  }

  @Test
  void interruptDoesNotEndAnAwaitAndIsRemembered() throws Exception {
    run(
        env -> {
          ReentrantLock lock = new ReentrantLock();
          Signal signal = env.signal(lock);
          lock.lock();
          try {
            Thread.currentThread().interrupt();
            long deadline = env.deadlineAfter(2 * MILLI);
            while (signal.await(deadline)) {
              // woken for nothing
            }
            assertThat(env.nanoTime()).isGreaterThanOrEqualTo(deadline);
            assertThat(Thread.interrupted()).isTrue();
          } finally {
            lock.unlock();
          }
        });
  }

  @Test
  void interruptEndsASleep() throws Exception {
    run(
        env -> {
          CountDownLatch begun = new CountDownLatch(1);
          CountDownLatch interrupted = new CountDownLatch(1);
          Thread sleeper =
              env.start(
                  ThreadKind.OPERATION,
                  "sleeper",
                  () -> {
                    begun.countDown();
                    try {
                      env.sleep(3_600_000 * MILLI);
                    } catch (InterruptedException e) {
                      interrupted.countDown();
                    }
                  });
          begun.await(); // what interrupts a thread before that may mean work that has ended
          env.sleep(MILLI);
          sleeper.interrupt();
          interrupted.await();
        });
  }

  @Test
  void deadlineBeyondTheClockIsNever() throws Exception {
    run(
        env -> {
          assertThat(env.deadlineAfter(Env.NEVER)).isEqualTo(Env.NEVER);
          assertThat(env.deadlineAfter(Env.NEVER - 1)).isGreaterThan(env.nanoTime());
        });
  }
}
