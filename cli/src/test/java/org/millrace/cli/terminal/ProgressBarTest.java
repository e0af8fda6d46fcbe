package org.millrace.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;

final class ProgressBarTest {

  private static final long SECOND = 1_000_000_000L;

  private final StringWriter text = new StringWriter();

  /** Runs in virtual time. */
  private void simulate(int columns, Job job) {
    SeededEnv env = SeededEnv.of(7);
    env.run(
        () -> {
          try (ProgressBar bar =
              ProgressBar.ofBytes(new PrintWriter(text), env, columns, "put", 1 << 20, 2)) {
            job.with(env, bar);
          }
        });
  }

  private interface Job {
    void with(Env env, ProgressBar bar);
  }

  private static void sleep(Env env, long nanos) {
    try {
      env.sleep(nanos);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void nothingIsPrintedWithoutTerminal() {
    simulate(
        0,
        (env, bar) -> {
          bar.advance(5);
          sleep(env, 10 * SECOND);
        });
    assertThat(text.toString()).isEmpty();
  }

  @Test
  void whatIsOverInAMomentShowsNothing() {
    simulate(
        80,
        (env, bar) -> {
          bar.advance(1 << 21);
          sleep(env, ProgressBar.FIRST_NANOS / 2);
        });
    assertThat(text.toString()).isEmpty();
  }

  @Test
  void whatTakesASecondIsDrawnAndWipedAtItsEnd() {
    simulate(
        80,
        (env, bar) -> {
          bar.name("large.npy");
          bar.advance(1 << 20); // half of two passes
          sleep(env, SECOND);
        });
    assertThat(text.toString())
        .startsWith("\r")
        .contains("put large.npy [", " 50 %  512K/1.0M")
        .doesNotContain("\n")
        .endsWith("\r\033[K");
  }

  @Test
  void aJobThatStandsStillIsStillShown() {
    simulate(80, (env, bar) -> sleep(env, 3 * SECOND));
    assertThat(text.toString().split("\r", -1)).hasSizeGreaterThan(10);
  }

  @Test
  void moreThanTotalStaysAtTotal() {
    simulate(
        80,
        (env, bar) -> {
          bar.advance(9 << 20);
          sleep(env, SECOND);
        });
    assertThat(text.toString()).contains("100 %", "1.0M/1.0M");
  }

  @Test
  void closingTwiceIsClosingOnce() {
    ProgressBar bar = new ProgressBar(new PrintWriter(text), Env.real(), 80, "heat", 4);
    bar.close();
    bar.close();
    bar.advance(1);
    bar.wipe();
    assertThat(text.toString()).isEmpty();
  }

  @Test
  void noStepsIsWrongUse() {
    assertThatThrownBy(() -> new ProgressBar(new PrintWriter(text), Env.real(), 80, "heat", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("was 0");
  }
}
