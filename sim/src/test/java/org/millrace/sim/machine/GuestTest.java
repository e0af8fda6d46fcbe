package org.millrace.sim.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;
import org.millrace.env.Work;

/** Applications that compute on a processor which others interrupt. */
final class GuestTest {

  private static final long MICRO = 1_000;
  private static final long SWITCH = 50 * MICRO;

  private final SeededEnv env = SeededEnv.of(1);
  private final Host host = new Host(env, 0, new Speed(Map.of(Work.MESSAGE, 100_000_000L)));
  private final ComputeJob guest = new ComputeJob(host, SWITCH);
  private final long start = env.nanoTime();
  private long took;
  private long had;

  /** Computes for a millisecond, with interruptions of 100 microseconds at these instants. */
  private void compute(long... micros) {
    env.run(
        () -> {
          for (long each : micros) {
            env.start(
                ThreadKind.SERVICE,
                "interruption",
                () -> {
                  Waiting.until(env, start + each * MICRO);
                  host.charge(Work.MESSAGE, 1);
                });
          }
          had = guest.compute(1_000 * MICRO);
          took = (env.nanoTime() - start) / MICRO;
        });
  }

  @Test
  void aloneItHasTheWholeProcessor() {
    compute();
    assertThat(took).isEqualTo(1_000);
    assertThat(had).isEqualTo(1_000 * MICRO);
  }

  @Test
  void anInterruptionGoesFirstAndCostsASwitchBeside() {
    compute(300);
    assertThat(took).isEqualTo(1_000 + 100 + 50);
    assertThat(host.processor().busy())
        .containsExactly(new Busy(start + 300 * MICRO, start + 400 * MICRO)); // at once
  }

  @Test
  void interruptionsThatFollowEachOtherCostOneSwitch() {
    compute(300, 340);
    assertThat(took).isEqualTo(1_000 + 200 + 50);
  }

  @Test
  void aPauseShorterThanASwitchIsOfNoUse() {
    compute(300, 440);
    assertThat(took).isEqualTo(1_000 + 100 + 40 + 100 + 50);
  }

  @Test
  void anInterruptionDuringTheLastMomentDelaysTheEnd() {
    compute(999);
    assertThat(took).isEqualTo(1_000 + 100 + 50);
    assertThat(had).isEqualTo(1_000 * MICRO);
  }

  @Test
  void afterTheEndNothingDelaysIt() {
    compute(1_000);
    assertThat(took).isEqualTo(1_000);
  }

  @Test
  void whoIsStoppedHasWhatWasLeftUntilThen() {
    env.start(
        ThreadKind.SERVICE,
        "stop",
        () -> {
          Waiting.until(env, start + 700 * MICRO);
          guest.stop(start + 600 * MICRO);
        });
    compute(300);
    assertThat(had).isEqualTo((300 + 600 - 450) * MICRO);
  }
}
