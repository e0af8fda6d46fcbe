package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.util.Arrays;
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

  /** Whatever call fails, and whenever the power does: nothing that was acknowledged is lost. */
  @Test
  void disksThatFailLoseNothingAndNoBlockIsCalledRotten() throws IOException {
    int failures = 0;
    for (long seed : Seeds.of(4 * SEEDS)) {
      CrashRun run = CrashRun.failing(4096, seed);
      try {
        run.run();
      } catch (AssertionError | IOException e) {
        fail(Seeds.replay(seed), e);
      }
      failures += run.failures();
    }
    if (System.getProperty("millrace.seed") == null) {
      assertThat(failures).as("the campaign must meet calls that fail").isGreaterThan(SEEDS);
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

  /** Noted with the first release: the longer file was not durable when a header relied on it. */
  @Test
  void aKillWhileTheSumsFileGrowsAndThenALossOfPowerLoseNothing() throws IOException {
    long far = SumsPage.ENTRIES + 3L;
    int grown = 0;
    for (int killed = 0; killed < 16; killed++) {
      for (int cut = 0; cut < 26; cut++) {
        for (long seed : Seeds.of(5)) {
          MemoryDisk memory = new MemoryDisk("memory");
          try (BlockFile file = BlockFile.create(memory, 7, 0, 4096)) {
            Blocks.write(file, 0, small(1));
            file.flush(4096);
          }
          write(memory, far, 2, killed); // killed: the system keeps what it has
          boolean acknowledged = write(memory, far, 3, cut);
          grown += acknowledged ? 1 : 0;
          try (BlockFile file = BlockFile.open(memory.crash(seed), 7, 0)) {
            assertThat(Blocks.read(file, 0)).isEqualTo(small(1));
            byte[] found = Blocks.read(file, far);
            if (acknowledged) {
              assertThat(found).isEqualTo(small(3));
            } else {
              assertThat(found[0]).isIn((byte) 0, (byte) 2, (byte) 3);
            }
          } catch (IOException | AssertionError e) {
            fail("killed at %d, cut at %d, %s".formatted(killed, cut, Seeds.replay(seed)), e);
          }
        }
      }
    }
    assertThat(grown).as("some flushes must end").isPositive();
  }

  private static byte[] small(int value) {
    byte[] content = new byte[4096];
    Arrays.fill(content, (byte) value);
    return content;
  }

  /** Writes a block and flushes, up to an operation of the disk; whether that was acknowledged. */
  private static boolean write(MemoryDisk memory, long block, int value, int operations)
      throws IOException {
    FaultyDisk disk = new FaultyDisk(memory, Faults.seeded(1).cutPowerAfter(operations));
    try (BlockFile file = BlockFile.open(disk, 7, 0)) {
      Blocks.write(file, block, small(value));
      file.flush((block + 1) * 4096);
      return true;
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("no power");
      return false;
    }
  }
}
