package org.millrace.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.testing.Seeds;

final class ResiduesTest {

  @Test
  void allSmallCirclesAgreeWithTheOracle() {
    for (int period = 1; period <= 13; period++) {
      for (int window = 1; window <= period; window++) {
        for (int step = -15; step <= 15; step++) {
          for (int bytes = 1; bytes <= 6; bytes++) {
            for (int start = -period; start <= period; start++) {
              long expected = naive(start, step, bytes, period, window);
              long actual = Residues.firstTouch(start, step, bytes, period, window);
              if (actual != expected) {
                throw new AssertionError(
                    "firstTouch("
                        + start
                        + ","
                        + step
                        + ","
                        + bytes
                        + ","
                        + period
                        + ","
                        + window
                        + ") is "
                        + actual
                        + ", not "
                        + expected);
              }
            }
          }
        }
      }
    }
  }

  private static long naive(long start, long step, long bytes, long period, long window) {
    for (long k = 0; k <= period; k++) {
      for (long b = 0; b < bytes; b++) {
        if (Math.floorMod(start + k * step + b, period) < window) {
          return k;
        }
      }
    }
    return Residues.NEVER;
  }

  @Test
  void aStepThatCreepsIsAnsweredOnHugeCircles() {
    long period = 1L << 40;
    assertThat(Residues.firstTouch(1000, 1, 1, period, 10)).isEqualTo(period - 1000);
    assertThat(Residues.firstTouch(1000, -1, 1, period, 10)).isEqualTo(991);
    assertThat(Residues.firstTouch(1000, period - 1, 1, period, 10)).isEqualTo(991);
    assertThat(Residues.firstTouch(1001, 2, 1, period, 1)).isEqualTo(Residues.NEVER);
    assertThat(Residues.firstTouch(1000, period, 1, period, 1)).isEqualTo(Residues.NEVER);
  }

  @Test
  void randomAnswersTouchAndNothingBeforeThemDoes() {
    for (long seed : Seeds.of(20)) {
      Random random = new Random(seed);
      for (int i = 0; i < 200; i++) {
        long period = 1 + random.nextLong(1L << random.nextInt(1, 40));
        long window = 1 + random.nextLong(Math.max(1, period / 100));
        long step = random.nextLong(1L << 41) - (1L << 40);
        long start = random.nextLong(1L << 41);
        long first = Residues.firstTouch(start, step, 1, period, window);
        if (first == Residues.NEVER) {
          for (long k = 0; k < 1000; k++) {
            assertThat(Math.floorMod(start + k * step, period))
                .as(Seeds.replay(seed))
                .isGreaterThanOrEqualTo(window);
          }
        } else {
          assertThat(Math.floorMod(start + first * step, period))
              .as(Seeds.replay(seed))
              .isLessThan(window);
          for (long k = Math.max(0, first - 1000); k < first; k++) {
            if (Math.floorMod(start + k * step, period) < window) {
              throw new AssertionError("turn " + k + " is earlier; " + Seeds.replay(seed));
            }
          }
        }
      }
    }
  }
}
