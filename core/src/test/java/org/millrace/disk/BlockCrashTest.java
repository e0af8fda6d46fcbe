package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.millrace.testing.Seeds;

/**
 * After a loss of power at any point every acknowledged byte is there and no block is called
 * rotten.
 */
final class BlockCrashTest {

  private static final int SEEDS = 150;

  /** Whether a crash does harm under any seed. */
  private static boolean isHarmful(boolean intending, Predicate<String> droppedForces)
      throws IOException {
    for (long seed : Seeds.of(SEEDS)) {
      try {
        new CrashRun(seed, intending, droppedForces).run();
      } catch (AssertionError e) {
        return true;
      }
    }
    return false;
  }

  @Test
  void acknowledgedBytesSurviveEveryCrash() throws IOException {
    int torn = 0;
    int cut = 0;
    for (long seed : Seeds.of(SEEDS)) {
      CrashRun run = new CrashRun(seed, true, name -> false);
      try {
        run.run();
      } catch (AssertionError | IOException e) {
        fail(Seeds.replay(seed), e);
      }
      torn += run.torn();
      cut += run.wasCut() ? 1 : 0;
    }
    if (System.getProperty("millrace.seed") == null) {
      assertThat(torn).as("the campaign must meet torn blocks").isGreaterThan(SEEDS / 6);
      assertThat(cut).as("the campaign must cut the power").isGreaterThan(SEEDS / 2);
    }
  }

  @Test
  void campaignFailsWithoutIntents() throws IOException {
    assertThat(isHarmful(false, name -> false)).isTrue();
  }

  @Test
  void campaignFailsWithoutForcingTheData() throws IOException {
    assertThat(isHarmful(true, name -> name.endsWith(".strand"))).isTrue();
  }

  @Test
  void campaignFailsWithoutForcingTheSums() throws IOException {
    assertThat(isHarmful(true, name -> name.endsWith(".sums"))).isTrue();
  }

  @Test
  void campaignFailsWithoutForcingTheIntents() throws IOException {
    assertThat(isHarmful(true, name -> name.endsWith(".intents"))).isTrue();
  }
}
