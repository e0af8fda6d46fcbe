package org.millrace.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** Environments in one JVM do not disturb each other where both need a monitor of the JDK. */
final class SeededMonitorTest {

  private final Object monitor = new Object(); // as one inside the JDK
  private final AtomicLong taken = new AtomicLong();

  private void touch() {
    synchronized (monitor) {
      taken.incrementAndGet();
    }
  }

  private long course(long seed) {
    SeededEnv env = SeededEnv.of(seed);
    env.run(
        () -> {
          for (int t = 0; t < 6; t++) {
            env.start(ThreadKind.RANK, "rank " + t, () -> work(env));
          }
        });
    return env.traceHash();
  }

  private void work(SeededEnv env) {
    for (int i = 0; i < 300; i++) {
      touch();
      Thread.yield();
      touch();
      try {
        env.sleep(1 + i % 3);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void aMonitorThatOutsideThreadsTakeIsNoEvent() throws Exception {
    long alone = course(7);
    AtomicBoolean over = new AtomicBoolean();
    CountDownLatch begun = new CountDownLatch(1);
    Thread outside =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!over.get()) {
                    synchronized (monitor) {
                      begun.countDown();
                      for (int i = 0; i < 2_000; i++) {
                        Thread.onSpinWait();
                      }
                    }
                  }
                });
    begun.await();
    long beside = course(7);
    over.set(true);
    outside.join();
    assertThat(beside).isEqualTo(alone);
  }

  @Test
  void twoEnvironmentsThatMeetAtAMonitorTakeTheCoursesTheyTakeAlone() {
    long first = course(1);
    long second = course(2);
    var other = new CompletableFuture<Long>();
    Thread.ofPlatform().start(() -> other.complete(course(2)));
    assertThat(course(1)).isEqualTo(first);
    assertThat(other.join()).isEqualTo(second);
  }

  /**
   * The outside thread releases its lock only when a thread of the environment is parked at it, and
   * the environment has something to do until then: it can neither stand still nor be through too
   * soon.
   */
  @Test
  void aThreadThatAnOutsideThreadWakesIsStillNoticed() throws Exception {
    ReentrantLock lock = new ReentrantLock();
    CountDownLatch locked = new CountDownLatch(1);
    CompletableFuture<Thread> wanting = new CompletableFuture<>();
    AtomicBoolean unlocked = new AtomicBoolean();
    Thread outside =
        Thread.ofPlatform()
            .start(
                () -> {
                  lock.lock();
                  try {
                    locked.countDown();
                    Thread waiter = wanting.join();
                    while (waiter.getState() != Thread.State.WAITING) {
                      Thread.yield();
                    }
                  } finally {
                    lock.unlock();
                  }
                  unlocked.set(true);
                });
    locked.await();
    SeededEnv env = SeededEnv.of(3);
    assertThatThrownBy(
            () ->
                env.run(
                    () -> {
                      wanting.complete(env.start(ThreadKind.RANK, "waiter", lock::lock));
                      while (!unlocked.get()) {
                        Thread.yield();
                      }
                    }))
        .hasMessageContaining("not deterministic");
    outside.join();
  }
}
