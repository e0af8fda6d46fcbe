package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.millrace.env.SeededEnv;
import org.millrace.testing.Seeds;

/**
 * The cache over real strand files on a disk that loses power: every acknowledged byte is there
 * afterwards, and no block is called rotten. {@code BlockCrashTest} shows the same of the strand
 * files alone.
 */
class CacheOverBlockFileTest {

  private static final int SEEDS = 60;

  private static CacheCrashRun run(long seed, int threads, Predicate<String> droppedForces) {
    SeededEnv env = SeededEnv.of(seed);
    CacheCrashRun run = new CacheCrashRun(env, seed, threads, droppedForces);
    env.run(run::run);
    return run;
  }

  private static void campaign(int threads) {
    int[] cut = new int[1];
    CacheModelTest.forSeeds(SEEDS, seed -> cut[0] += run(seed, threads, name -> false).powerCuts());
    if (System.getProperty("millrace.seed") == null) {
      assertThat(cut[0]).as("the campaign must cut the power").isGreaterThan(SEEDS);
    }
  }

  private static boolean isHarmful(String suffix) {
    for (long seed : Seeds.of(SEEDS)) {
      try {
        run(seed, 1, name -> name.endsWith(suffix));
      } catch (AssertionError e) {
        return true;
      }
    }
    return false;
  }

  @Test
  void acknowledgedBytesSurviveEveryCrash() {
    campaign(1);
  }

  @Test
  void acknowledgedBytesOfSeveralWritersSurviveEveryCrash() {
    campaign(3);
  }

  @Test
  void campaignFailsWithoutForcingTheData() {
    assertThat(isHarmful(".strand")).isTrue();
  }

  @Test
  void campaignFailsWithoutForcingTheSums() {
    assertThat(isHarmful(".sums")).isTrue();
  }

  @Test
  void campaignFailsWithoutForcingTheIntents() {
    assertThat(isHarmful(".intents")).isTrue();
  }
}
