package org.millrace.sim.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;
import org.millrace.env.Work;

/** Processors that are shared. */
final class ProcessorTest {

  private static final Speed SPEED =
      new Speed(Map.of(Work.MESSAGE, 100_000_000L, Work.PIECE, 1_500L));

  @Test
  void worksOneAfterTheOther() {
    SeededEnv env = SeededEnv.of(1);
    Processor processor = new Processor(env, SPEED);
    long start = env.nanoTime();
    List<Long> ends = new ArrayList<>();
    env.run(
        () -> {
          for (int i = 0; i < 3; i++) {
            env.start(
                ThreadKind.RANK,
                "worker",
                () -> {
                  processor.work(Work.MESSAGE, 1);
                  ends.add(env.nanoTime() - start);
                });
          }
        });
    assertThat(ends).containsExactly(100_000L, 200_000L, 300_000L);
    assertThat(processor.busy()).containsExactly(new Busy(start, start + 300_000));
  }

  @Test
  void smallWorkIsDoneTogetherAndNothingIsForgotten() {
    SeededEnv env = SeededEnv.of(1);
    Processor processor = new Processor(env, SPEED);
    long start = env.nanoTime();
    env.run(
        () -> {
          for (int i = 0; i < 1_000; i++) {
            processor.work(Work.PIECE, 1);
          }
          assertThat(env.nanoTime()).isEqualTo(start);
          processor.pay();
          assertThat(env.nanoTime() - start).isEqualTo(1_500);
          processor.pay();
        });
    assertThat(processor.busyNanos()).isEqualTo(1_500);
  }

  @Test
  void whatIsBegunWithoutWaitingKeepsTheProcessorBusy() {
    SeededEnv env = SeededEnv.of(1);
    Processor processor = new Processor(env, SPEED);
    long start = env.nanoTime();
    env.run(
        () -> {
          processor.owe(Work.MESSAGE, 2);
          assertThat(processor.begin()).isEqualTo(start + 200_000);
          processor.owe(Work.MESSAGE, 1);
          assertThat(processor.begin()).isEqualTo(start + 300_000);
          assertThat(env.nanoTime()).isEqualTo(start);
        });
  }

  @Test
  void idleStretchesSeparateWhatIsRemembered() {
    SeededEnv env = SeededEnv.of(1);
    Processor processor = new Processor(env, SPEED);
    env.run(
        () -> {
          processor.work(Work.MESSAGE, 1);
          Waiting.until(env, env.nanoTime() + 50);
          processor.work(Work.MESSAGE, 1);
        });
    assertThat(processor.busy()).hasSize(2);
    processor.forget();
    assertThat(processor.busy()).isEmpty();
  }

  @Test
  void aWaitOnAHostEndsWithASwitch() {
    SeededEnv env = SeededEnv.of(1);
    Host host = new Host(env, 0, new Speed(Map.of(Work.SWITCH, 3_000_000L)));
    env.run(
        () -> {
          var parker = host.parker();
          host.start(ThreadKind.RANK, "other", parker::unpark);
          assertThat(parker.park(host.deadlineAfter(1_000_000))).isTrue();
          host.processor().pay();
        });
    assertThat(host.processor().busyNanos()).isEqualTo(6_000); // the start and the wait
  }

  @Test
  void speedsAreInstructionsAtAClock() {
    assertThat(Speed.RISC_50.picos(Work.MESSAGE, 1)).isEqualTo(7_000_000);
    assertThat(Speed.RISC_50.picos(Work.COPY, 8_192)).isEqualTo(92_160_000);
    assertThat(Speed.INFINITE.picos(Work.COPY, 1_000)).isZero();
  }

  @Test
  void stretchesThatEndBeforeTheyBeginAreRefused() {
    assertThatThrownBy(() -> new Busy(2, 1)).hasMessageContaining("from 2 to 1");
  }
}
