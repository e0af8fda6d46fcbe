package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        new CrashRun(BlockSize.DEFAULT_BYTES, seed, intending, droppedForces).run();
      } catch (AssertionError e) {
        return true;
      }
    }
    return false;
  }

  /** Large blocks take long to look at, byte by byte. */
  @ParameterizedTest
  @CsvSource({"4096, 2", "8192, 3", "65536, 5", "1048576, 50", "4194304, 150"})
  void acknowledgedBytesSurviveEveryCrash(int blockBytes, int part) throws IOException {
    int torn = 0;
    int cut = 0;
    int runs = Math.max(1, SEEDS / part);
    for (long seed : Seeds.of(runs)) {
      CrashRun run = new CrashRun(blockBytes, seed, true, name -> false);
      try {
        run.run();
      } catch (AssertionError | IOException e) {
        fail(Seeds.replay(seed), e);
      }
      torn += run.torn();
      cut += run.wasCut() ? 1 : 0;
    }
    if (System.getProperty("millrace.seed") == null && runs >= 10) {
      assertThat(torn).as("the campaign must meet torn blocks").isGreaterThan(runs / 6);
      assertThat(cut).as("the campaign must cut the power").isGreaterThan(runs / 3);
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
