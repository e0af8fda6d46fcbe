package org.millrace.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.millrace.cli.terminal.ProgressLine.Unit;

final class ProgressLineTest {

  private static final long SECOND = 1_000_000_000L;

  private static String steps(long done, long total, int columns) {
    return new ProgressLine("heat", "", Unit.STEPS, done, total, SECOND, 1).shown(columns);
  }

  private static ProgressLine bytes(String name, long done, long total) {
    return new ProgressLine("put", name, Unit.BYTES, done, total, 4 * SECOND, 310 << 20);
  }

  @Test
  void bytesHaveNameUnitsRateAndTimeLeft() {
    assertThat(bytes("results.npy", 1L << 30, 3L << 30).shown(100))
        .matches("put results.npy \\[#+\\.+]  33 %  1.0G/3.0G  310M/s  8 s left");
  }

  @Test
  void bytesOfUnknownNumberHaveTheTimeSoFar() {
    assertThat(bytes("-", 5 << 20, 0).shown(100)).isEqualTo("put - 5.0M  310M/s  4 s");
  }

  @Test
  void lineAlwaysLeavesTheLastColumnFree() {
    for (int columns = 1; columns <= 200; columns++) {
      for (long done : new long[] {0, 1, 50, 99, 100}) {
        assertThat(steps(done, 100, columns)).hasSizeLessThan(columns);
        assertThat(bytes("a name that is long/and has a folder", done, 100).shown(columns))
            .hasSizeLessThan(columns);
        assertThat(bytes("x", done, 0).shown(columns)).hasSizeLessThan(columns);
      }
    }
  }

  @Test
  void narrowTerminalsLoseTheBarBeforeTheLabelBeforeThePercentage() {
    assertThat(steps(1, 2, 80)).matches("heat \\[#+\\.+]  50 %  1/2  1 s left");
    assertThat(steps(1, 2, 30)).isEqualTo("heat  50 %  1/2  1 s left");
    assertThat(steps(1, 2, 20)).isEqualTo("heat  50 % 1/2");
    assertThat(steps(1, 2, 12)).isEqualTo("heat  50 %");
    assertThat(steps(1, 2, 8)).isEqualTo(" 50 %");
    assertThat(steps(1, 2, 3)).isEmpty();
  }

  @Test
  void longNamesKeepTheirEnds() {
    assertThat(bytes("a/very/long/way/to/results.npy", 1, 2).shown(70))
        .startsWith("put ...ults.npy [");
  }

  @Test
  void longTimesAreMinutesAndHours() {
    assertThat(new ProgressLine("x", "", Unit.STEPS, 1, 101, SECOND, 1).shown(80))
        .endsWith("1:40 min left");
    assertThat(new ProgressLine("x", "", Unit.STEPS, 1, 7501, SECOND, 1).shown(80))
        .endsWith("2:05 h left");
  }

  @Test
  void hugeTotalsDoNotOverflow() {
    assertThat(steps(Long.MAX_VALUE / 2, Long.MAX_VALUE, 130))
        .contains("[####################....................]", " 50 %");
  }
}
