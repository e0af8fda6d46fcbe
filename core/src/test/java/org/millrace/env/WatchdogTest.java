package org.millrace.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.millrace.testing.Seeds;

/** Deadlines that one thread keeps for many, in virtual time. */
final class WatchdogTest {

  private static final int THREADS = 12;
  private static final long LONGEST = 100 * Watchdog.TICK_NANOS;

  /** How late each wait ended that nobody else ended; negative if it was early. */
  private static List<Long> lateness(long seed, Function<Env, Watchdog> making) {
    SeededEnv env = SeededEnv.of(seed);
    List<Long> late = new ArrayList<>();
    env.run(
        () -> {
          Watchdog dog = making.apply(env);
          int[] left = {THREADS};
          for (int t = 0; t < THREADS; t++) {
            RandomGenerator random = env.random("thread " + t);
            env.start(
                ThreadKind.RANK,
                "waits",
                () -> {
                  for (int i = 0; i < 10; i++) {
                    late.add(lateness(env, dog, random));
                  }
                  if (--left[0] == 0) {
                    dog.close();
                  }
                });
          }
        });
    return late;
  }

  /** Waits once; half of all waits are ended by somebody else before their deadline. */
  private static long lateness(SeededEnv env, Watchdog dog, RandomGenerator random) {
    Parker place = env.parker();
    long nanos = random.nextLong(Watchdog.TICK_NANOS, LONGEST);
    long deadline = env.deadlineAfter(nanos);
    boolean[] ended = {false};
    Watchdog.Wait wait = dog.watch(deadline, place::unpark);
    if (random.nextBoolean()) {
      env.startAt(
          env.deadlineAfter(random.nextLong(nanos)),
          ThreadKind.SERVICE,
          "ends it",
          () -> {
            ended[0] = true;
            place.unpark();
          });
    }
    place.park(Env.NEVER);
    wait.end();
    return ended[0] ? 0 : env.nanoTime() - deadline;
  }

  @Test
  void everyWaitEndsAtItsDeadlineAndNotBefore() {
    for (long seed : Seeds.of(200)) {
      assertThat(lateness(seed, Watchdog::start))
          .as("seed %d", seed)
          .hasSize(10 * THREADS)
          .containsOnly(0L);
    }
  }

  /** The control: without a watchdog that runs, the test above finds waits past their deadline. */
  @Test
  void waitsThatNobodyWatchesAreNoticed() {
    assertThatThrownBy(() -> lateness(1, Watchdog::asleep))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("wait forever");
  }

  @Test
  void waitsThatAreOverAreForgottenLongBeforeTheirDeadline() {
    SeededEnv env = SeededEnv.of(1);
    int[] size = {0};
    env.run(
        () -> {
          Watchdog dog = Watchdog.start(env);
          List<Watchdog.Wait> all = new ArrayList<>();
          for (int i = 0; i < 200; i++) {
            for (int j = 0; j < 100; j++) {
              all.add(dog.watch(env.deadlineAfter(Long.MAX_VALUE / 2), () -> {}));
            }
            pause(env, 2 * Watchdog.TICK_NANOS); // it has seen them
            all.forEach(Watchdog.Wait::end);
            all.clear();
          }
          dog.close();
          size[0] = dog.size();
        });
    assertThat(size[0]).isLessThan(4000);
  }

  private static void pause(Env env, long nanos) {
    try {
      env.sleep(nanos);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aVirtualThreadsWaitEndsAtItsDeadlineInRealLife() throws Exception {
    Env env = Env.real();
    boolean[] woken = {true, true};
    Thread rank =
        env.start(
            ThreadKind.RANK,
            "waits",
            () -> {
              woken[0] = env.parker().park(env.deadlineAfter(4 * Watchdog.TICK_NANOS));
              woken[1] = env.parker().park(env.deadlineAfter(1000)); // too soon to be watched
            });
    rank.join();
    assertThat(woken).containsExactly(false, false);
  }

  @Test
  void aPermitEndsAWatchedWait() throws Exception {
    Env env = Env.real();
    Parker place = env.parker();
    boolean[] woken = {false};
    Thread rank =
        env.start(
            ThreadKind.RANK,
            "waits",
            () -> woken[0] = place.park(env.deadlineAfter(Long.MAX_VALUE / 4)));
    place.unpark();
    rank.join();
    assertThat(woken[0]).isTrue();
  }
}
