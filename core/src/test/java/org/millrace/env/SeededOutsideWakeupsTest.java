package org.millrace.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What threads outside of an environment do to its course: nothing where both meet inside the JDK,
 * and a failure where they wake one of its threads.
 */
final class SeededOutsideWakeupsTest {

  private static final int ROUNDS = 200;

  /** The word of a map that says, if negative, that another thread makes the table. */
  private static final VarHandle SIZE_CONTROL = sizeControl();

  private static VarHandle sizeControl() {
    try {
      Class<?> type = ConcurrentHashMap.class;
      return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
          .findVarHandle(type, "sizeCtl", int.class);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The course of a thread that puts the first entry into a map. */
  private static long course(ConcurrentHashMap<Integer, Integer> map, Runnable before) {
    SeededEnv env = SeededEnv.of(5);
    env.run(
        () -> {
          before.run();
          map.put(1, 1);
        });
    return env.traceHash();
  }

  @Test
  void aTableThatAnOutsideThreadMakesIsNoEvent() throws InterruptedException {
    long alone = course(new ConcurrentHashMap<>(), () -> {});
    ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();
    SIZE_CONTROL.setVolatile(map, -1); // as while an outside thread makes the table
    CompletableFuture<Thread> putting = new CompletableFuture<>();
    Thread outside =
        Thread.ofPlatform()
            .start(
                () -> {
                  Thread thread = putting.join();
                  while (!SeededStates.hasYielded(thread)) {
                    Thread.onSpinWait();
                  }
                  SIZE_CONTROL.setVolatile(map, 0); // it has left the table to others
                });
    long beside = course(map, () -> putting.complete(Thread.currentThread()));
    outside.join();
    assertThat(beside).isEqualTo(alone);
  }

  @Test
  void aYieldOfTheProgramIsAnEvent() {
    long without = course(new ConcurrentHashMap<>(), () -> {});
    assertThat(course(new ConcurrentHashMap<>(), () -> Thread.yield())).isNotEqualTo(without);
  }

  @Test
  void aWaitInsideTheJdkForAnOutsideThreadIsNoEvent() {
    long alone = course(new ConcurrentHashMap<>(), () -> {});
    CompletableFuture<Thread> waiting = new CompletableFuture<>();
    Thread outside =
        Thread.ofPlatform()
            .start(
                () -> {
                  Thread thread = waiting.join();
                  while (!SeededStates.isAtMonitor(thread)) {
                    Thread.onSpinWait();
                  }
                });
    long beside =
        course(
            new ConcurrentHashMap<>(),
            () -> {
              waiting.complete(Thread.currentThread());
              try {
                outside.join(); // waits until the end of a thread notifies it
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    assertThat(beside).isEqualTo(alone);
  }

  @Test
  void aSleepIsOfTheJdkOnlyIfTheJdkCalledIt() {
    var parked = frame("java.base", "java.lang.VirtualThread");
    var sleep = frame("java.base", "java.lang.Thread");
    var memory = frame("java.base", "java.nio.Bits");
    var program = frame(null, "org.millrace.node.Node");
    var access = frame("java.base", "java.lang.System$1"); // of LockSupport.parkNanos
    assertThat(isCallOfTheJdk(parked, sleep, memory, program)).isTrue();
    assertThat(isCallOfTheJdk(parked, sleep, program, memory)).isFalse();
    assertThat(isCallOfTheJdk(parked, access, program)).isFalse();
  }

  private static boolean isCallOfTheJdk(StackTraceElement... stack) {
    return SeededStates.isCallOfTheJdk(stack);
  }

  private static StackTraceElement frame(@Nullable String module, String type) {
    return new StackTraceElement(null, module, null, type, "method", null, 1);
  }

  @Test
  void aThreadThatAnOutsideThreadUnparksNeverRunsAgain() throws InterruptedException {
    for (int i = 0; i < ROUNDS; i++) {
      AtomicBoolean over = new AtomicBoolean();
      CompletableFuture<Thread> parking = new CompletableFuture<>();
      Thread outside =
          Thread.ofPlatform()
              .start(
                  () -> {
                    Thread thread = parking.join();
                    while (!over.get()) {
                      LockSupport.unpark(thread);
                    }
                  });
      SeededEnv env = SeededEnv.of(i);
      AtomicInteger stretches = new AtomicInteger();
      env.listen(countingOf("parks", stretches));
      assertThatThrownBy(() -> env.run(() -> parkAndTick(env, parking)))
          .hasMessageContaining("not deterministic");
      over.set(true);
      outside.join();
      assertThat(stretches).as("in round " + i).hasValue(1);
    }
  }

  /** One thread parks again and again; another keeps the clock going, so that nothing is over. */
  private static void parkAndTick(SeededEnv env, CompletableFuture<Thread> parking) {
    env.start(
        ThreadKind.RANK,
        "parks",
        () -> {
          parking.complete(Thread.currentThread());
          while (true) {
            LockSupport.park();
          }
        });
    while (true) {
      try {
        env.sleep(1);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static ScheduleListener countingOf(String name, AtomicInteger stretches) {
    return new ScheduleListener() {
      @Override
      public void onReady(int thread, Thread by) {}

      @Override
      public void onStretch(
          long nanos, int number, String thread, Supplier<StackTraceElement[]> stack) {
        if (thread.equals(name)) {
          stretches.incrementAndGet();
        }
      }
    };
  }
}
