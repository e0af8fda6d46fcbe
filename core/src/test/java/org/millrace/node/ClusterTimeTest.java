package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.millrace.env.SeededEnv;

/** The coordinator's date, as a node knows it. */
final class ClusterTimeTest {

  private static final long HOUR = 3_600_000;

  @Test
  void theCoordinatorsDateCountsWhateverTheNodesOwnOneIs() {
    SeededEnv env = SeededEnv.of(1);
    env.run(
        () -> {
          ClusterTime time = new ClusterTime(env);
          assertThat(time.aheadMillis()).isZero();
          long told = env.wallMillis() - 13 * HOUR;
          time.onTold(told);
          assertThat(time.nowMillis()).isEqualTo(told);
          assertThat(time.aheadMillis()).isEqualTo(13 * HOUR);
          sleep(env, 5_000_000_000L);
          assertThat(time.nowMillis()).isEqualTo(told + 5000);
        });
  }

  private static void sleep(SeededEnv env, long nanos) {
    try {
      env.sleep(nanos);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
