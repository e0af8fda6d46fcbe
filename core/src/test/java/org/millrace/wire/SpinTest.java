package org.millrace.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.env.Work;

final class SpinTest {

  private static final long LONG_NANOS = 1_000_000;

  private final SteppingClock clock = new SteppingClock();
  private final Spin spin = new Spin(clock, 2);
  private int looks;

  @Test
  void whatIsThereNeedsNoWaiting() throws IOException {
    assertThat(spin.await(() -> ++looks == 1)).isTrue();
    assertThat(looks).isEqualTo(1);
  }

  @Test
  void whatComesSoonIsSeen() throws IOException {
    assertThat(spin.await(() -> ++looks == 150)).isTrue();
    assertThat(looks).isEqualTo(150);
  }

  @Test
  void lookingEnds() throws IOException {
    clock.stepNanos = 1000;
    assertThat(awaitNothing()).isGreaterThan(100);
    assertThat(clock.nowNanos).isBetween(Spin.MAX_NANOS, 2 * Spin.MAX_NANOS);
  }

  @Test
  void oneProcessorNeverLooksTwice() throws IOException {
    Spin alone = new Spin(clock, 1);
    assertThat(alone.await(() -> ++looks == 2)).isFalse();
    assertThat(looks).isEqualTo(1);
  }

  @Test
  void whoWaitsLongSleepsAtOnceUntilWaitsAreShortAgain() throws IOException {
    clock.stepNanos = 1000;
    for (int i = 0; i < 10; i++) {
      awaitNothing();
      clock.nowNanos += LONG_NANOS;
      spin.woke();
    }
    assertThat(awaitNothing()).isEqualTo(1);
    spin.woke();
    assertThat(awaitNothing()).as("the last sleep was short").isGreaterThan(100);
  }

  @Test
  void whereOthersNeedTheProcessorManyWaitsSleepAtOnce() throws IOException {
    clock.stepNanos = 25_000;
    assertThat(awaitNothing()).as("looked until the offer was taken").isLessThan(200);
    clock.stepNanos = 10;
    int crowded = sleepsAtOnce();
    assertThat(crowded).isGreaterThan(100);
    clock.stepNanos = 25_000;
    awaitNothing();
    clock.stepNanos = 10;
    assertThat(sleepsAtOnce()).as("still crowded: spins longer").isGreaterThan(crowded + 100);
  }

  private int sleepsAtOnce() throws IOException {
    int waits = 0;
    while (true) {
      looks = 0;
      boolean seen = spin.await(() -> ++looks == 2);
      if (seen) {
        return waits;
      }
      spin.woke();
      waits++;
    }
  }

  /** Waits for what never comes; how many looks that took. */
  private int awaitNothing() throws IOException {
    looks = 0;
    boolean seen =
        spin.await(
            () -> {
              looks++;
              return false;
            });
    assertThat(seen).isFalse();
    return looks;
  }

  /** A clock that goes on by one step each time that it is looked at. */
  private static final class SteppingClock implements Env {
    private long nowNanos;
    private long stepNanos = 10;

    @Override
    public long threadNumber() {
      return Thread.currentThread().threadId();
    }

    @Override
    public long nanoTime() {
      nowNanos += stepNanos;
      return nowNanos;
    }

    @Override
    public long wallMillis() {
      throw new UnsupportedOperationException();
    }

    @Override
    public RandomGenerator random(String purpose) {
      throw new UnsupportedOperationException();
    }

    @Override
    public byte[] secretBytes(int count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Thread start(ThreadKind kind, String name, Runnable body) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Signal signal(Lock lock) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void sleep(long nanos) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void charge(Work work, long amount) {
      throw new UnsupportedOperationException();
    }
  }
}
