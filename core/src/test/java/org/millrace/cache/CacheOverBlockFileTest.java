package org.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.disk.BlockSize;
import org.millrace.env.SeededEnv;
import org.millrace.testing.Seeds;

/**
 * The cache over real strand files on a disk that loses power: every acknowledged byte is there
 * afterwards, and no block is called rotten. {@code BlockCrashTest} shows the same of the strand
 * files alone.
 */
class CacheOverBlockFileTest {

  private static final int SEEDS = 60;

  private static CacheCrashRun run(
      int blockBytes, long seed, int threads, Predicate<String> droppedForces) {
    SeededEnv env = SeededEnv.of(seed);
    CacheCrashRun run = new CacheCrashRun(env, blockBytes, seed, threads, droppedForces);
    env.run(run::run);
    return run;
  }

  private static void campaign(int blockBytes, int threads, int part) {
    int[] cut = new int[1];
    int runs = Math.max(1, SEEDS / part);
    CacheModelTest.forSeeds(
        runs, seed -> cut[0] += run(blockBytes, seed, threads, name -> false).powerCuts());
    if (System.getProperty("millrace.seed") == null && runs >= 10) {
      assertThat(cut[0]).as("the campaign must cut the power").isGreaterThan(runs / 2);
    }
  }

  private static boolean isHarmful(String suffix) {
    for (long seed : Seeds.of(SEEDS)) {
      try {
        run(BlockSize.DEFAULT_BYTES, seed, 1, name -> name.endsWith(suffix));
      } catch (AssertionError e) {
        return true;
      }
    }
    return false;
  }

  /** Large blocks take long to look at, byte by byte. */
  @ParameterizedTest
  @CsvSource({"4096, 4", "8192, 8", "65536, 6"})
  void acknowledgedBytesSurviveEveryCrash(int blockBytes, int part) {
    campaign(blockBytes, 1, part);
  }

  @ParameterizedTest
  @CsvSource({"4096, 4", "8192, 8", "65536, 6"})
  void acknowledgedBytesOfSeveralWritersSurviveEveryCrash(int blockBytes, int part) {
    campaign(blockBytes, 3, part);
  }

  @Tag("long")
  @ParameterizedTest
  @CsvSource({"1048576, 60", "4194304, 120"})
  void acknowledgedBytesInLargeBlocksSurviveEveryCrash(int blockBytes, int part) {
    campaign(blockBytes, 1, part);
    campaign(blockBytes, 3, part);
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
