package org.millrace.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.millrace.testing.Seeds;

/** The seeded environment keeps the contract and takes the same course for the same seed. */
final class SeededEnvTest extends EnvContractTest {

  private static final long HOUR = 3_600_000_000_000L;

  @Override
  void run(Body body) {
    for (long seed : Seeds.of(20)) {
      SeededEnv env = SeededEnv.of(seed);
      env.run(() -> call(env, body));
    }
  }

  private static void call(Env env, Body body) {
    try {
      body.in(env);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Eight threads over one lock with signals, sleeps and yields; what happened, in order. */
  private static List<String> contend(SeededEnv env) {
    List<String> log = new ArrayList<>();
    ReentrantLock lock = new ReentrantLock();
    Signal changed = env.signal(lock);
    int[] tokens = {3};
    env.run(
        () -> {
          for (int t = 0; t < 8; t++) {
            int me = t;
            env.start(
                ThreadKind.RANK,
                "rank-" + t,
                () -> call(env, e -> worker(e, me, lock, changed, tokens, log)));
          }
        });
    return log;
  }

  private static void worker(
      Env env, int me, ReentrantLock lock, Signal changed, int[] tokens, List<String> log)
      throws InterruptedException {
    Random random = new Random(me); // not of the seed: only the scheduler may tell seeds apart
    for (int i = 0; i < 20; i++) {
      lock.lock();
      try {
        while (tokens[0] == 0) {
          boolean inTime = changed.await(env.deadlineAfter(5_000));
          log.add(me + (inTime ? " woken" : " late"));
        }
        tokens[0]--;
        log.add(me + " takes at " + env.nanoTime());
      } finally {
        lock.unlock();
      }
      if (random.nextBoolean()) {
        env.sleep(random.nextLong(10_000));
      } else {
        Thread.yield();
      }
      lock.lock();
      try {
        tokens[0]++;
        changed.signal();
      } finally {
        lock.unlock();
      }
    }
  }

  @Test
  void sameSeedGivesTheSameCourseAndAnotherSeedAnother() {
    Set<Long> traces = new HashSet<>();
    long[] seeds = Seeds.of(20);
    for (long seed : seeds) {
      SeededEnv first = SeededEnv.of(seed);
      SeededEnv second = SeededEnv.of(seed);
      List<String> course = contend(first);
      assertThat(course)
          .anyMatch(s -> s.endsWith("late"))
          .anyMatch(s -> s.endsWith("woken"))
          .hasSizeGreaterThan(160);
      assertThat(contend(second)).as(Seeds.replay(seed)).isEqualTo(course);
      assertThat(second.traceHash()).as(Seeds.replay(seed)).isEqualTo(first.traceHash());
      traces.add(first.traceHash());
    }
    assertThat(traces).hasSize(seeds.length);
  }

  @Test
  void hoursPassInNoTime() {
    SeededEnv env = SeededEnv.of(1);
    long before = env.nanoTime();
    long wall = env.wallMillis();
    env.run(
        () -> {
          for (int i = 0; i < 100; i++) {
            env.start(ThreadKind.SERVICE, "s" + i, () -> call(env, e -> e.sleep(1_000 * HOUR)));
          }
        });
    assertThat(env.nanoTime() - before).isEqualTo(1_000 * HOUR);
    assertThat(env.wallMillis() - wall).isEqualTo(1_000 * HOUR / 1_000_000);
  }

  @Test
  void threadsThatWaitForEverAreNamedWithTheirPlace() {
    SeededEnv env = SeededEnv.of(7);
    ReentrantLock left = new ReentrantLock();
    ReentrantLock right = new ReentrantLock();
    assertThatThrownBy(
            () ->
                env.run(
                    () -> {
                      env.start(
                          ThreadKind.RANK,
                          "rank-a",
                          () -> call(env, e -> lockBoth(e, left, right)));
                      env.start(
                          ThreadKind.RANK,
                          "rank-b",
                          () -> call(env, e -> lockBoth(e, right, left)));
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'rank-a'")
        .hasMessageContaining("'rank-b'")
        .hasMessageContaining("lockBoth")
        .hasMessageContaining("seed 7");
  }

  private static void lockBoth(Env env, ReentrantLock one, ReentrantLock two)
      throws InterruptedException {
    one.lock();
    env.sleep(10);
    two.lock();
  }

  @Test
  void waitOnTheRealClockIsReportedWithItsPlace() {
    SeededEnv env = SeededEnv.of(7);
    assertThatThrownBy(
            () -> env.run(() -> call(env, e -> new CountDownLatch(1).await(1, TimeUnit.DAYS))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("waitOnTheRealClock");
  }

  @Test
  void firstUncaughtExceptionIsThrownAfterTheOthersEnd() {
    SeededEnv env = SeededEnv.of(3);
    List<String> ended = new ArrayList<>();
    assertThatThrownBy(
            () ->
                env.run(
                    () -> {
                      env.start(ThreadKind.RANK, "slow", () -> call(env, e -> slow(e, ended)));
                      throw new ArithmeticException("planted");
                    }))
        .isInstanceOf(ArithmeticException.class)
        .hasMessage("planted");
    assertThat(ended).containsExactly("slow");
    List<String> again = new ArrayList<>();
    env.run(() -> again.add("runs"));
    assertThat(again).containsExactly("runs");
  }

  private static void slow(Env env, List<String> ended) throws InterruptedException {
    env.sleep(HOUR);
    ended.add("slow");
  }

  @Test
  void randomDependsOnSeedAndPurposeOnly() {
    long a = SeededEnv.of(1).random("a").nextLong();
    SeededEnv env = SeededEnv.of(1);
    env.random("b").nextLong();
    assertThat(env.random("a").nextLong()).isEqualTo(a);
    assertThat(env.random("b").nextLong()).isNotEqualTo(a);
    assertThat(SeededEnv.of(2).random("a").nextLong()).isNotEqualTo(a);
  }

  @Test
  void chargedWorkTakesItsTime() {
    SeededEnv free = SeededEnv.of(1);
    long start = free.nanoTime();
    free.run(() -> free.charge(Work.COPY, 1_000_000));
    assertThat(free.nanoTime()).isEqualTo(start);
    SeededEnv priced = SeededEnv.of(1, Map.of(Work.COPY, 50L));
    priced.run(() -> priced.charge(Work.COPY, 1_000_000));
    assertThat(priced.nanoTime() - start).isEqualTo(50_000);
  }

  @Test
  void threadsAreStartedWhenTheirInstantHasCome() {
    SeededEnv env = SeededEnv.of(7);
    List<Long> times = new ArrayList<>();
    env.run(
        () -> {
          long now = env.nanoTime();
          for (long later : new long[] {30, 10, 20, 0}) {
            env.startAt(
                now + later, ThreadKind.SERVICE, "later", () -> times.add(env.nanoTime() - now));
          }
        });
    assertThat(times).containsExactly(0L, 10L, 20L, 30L);
  }

  @Test
  void waitingOutsideARunIsRefused() {
    assertThatThrownBy(() -> SeededEnv.of(1).sleep(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void abandonedThreadsNeverRunAgain() {
    SeededEnv env = SeededEnv.of(3);
    List<String> log = new ArrayList<>();
    env.run(
        () -> {
          Thread sleeper =
              env.start(
                  ThreadKind.RANK,
                  "sleeper",
                  () ->
                      call(
                          env,
                          e -> {
                            log.add("slept");
                            e.sleep(HOUR);
                            log.add("woke");
                          }));
          call(env, e -> e.sleep(1_000));
          env.abandon(List.of(sleeper));
          call(env, e -> e.sleep(2 * HOUR));
          log.add("ended");
        });
    assertThat(log).containsExactly("slept", "ended");
  }

  @Test
  void noThreadAbandonsItself() {
    SeededEnv env = SeededEnv.of(3);
    assertThatThrownBy(() -> env.run(() -> env.abandon(List.of(Thread.currentThread()))))
        .hasMessageContaining("itself");
  }

  @Test
  void stepsHaveALimit() {
    SeededEnv env = SeededEnv.of(5);
    env.limitSteps(1_000);
    assertThatThrownBy(
            () ->
                env.run(
                    () -> {
                      while (true) {
                        Thread.yield();
                      }
                    }))
        .hasMessageContaining("runs forever");
  }

  @Test
  void secretsAreOthersEachTimeAndTheSameForTheSameSeed() {
    SeededEnv env = SeededEnv.of(9);
    byte[] first = env.secretBytes(16);
    byte[] second = env.secretBytes(16);
    assertThat(second).isNotEqualTo(first);
    assertThat(SeededEnv.of(9).secretBytes(16)).isEqualTo(first);
  }
}
