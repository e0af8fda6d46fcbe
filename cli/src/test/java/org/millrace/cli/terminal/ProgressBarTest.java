package org.millrace.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;

final class ProgressBarTest {

  private final StringWriter text = new StringWriter();

  @Test
  void nothingIsPrintedWithoutTerminal() {
    try (ProgressBar bar = bar(0, 10)) {
      bar.advance(5);
      bar.advance(5);
    }
    assertThat(text.toString()).isEmpty();
  }

  @Test
  void firstAndLastStepAreDrawnAndCloseWipesTheLine() {
    ProgressBar bar = bar(60, 4);
    bar.advance(1);
    assertThat(text.toString()).startsWith("\r").contains("25 %", "1/4").doesNotContain("\n");
    bar.advance(3);
    assertThat(text.toString()).contains("100 %", "4/4");
    bar.close();
    bar.close();
    bar.advance(1);
    assertThat(text.toString()).endsWith("4/4\r\033[K");
  }

  @Test
  void moreStepsThanTotalStayAtTotal() {
    ProgressBar bar = bar(60, 4);
    bar.advance(9);
    assertThat(text.toString()).contains("100 %", "4/4");
  }

  @Test
  void lineAlwaysLeavesTheLastColumnFree() {
    for (int columns = 1; columns <= 200; columns++) {
      for (long done : new long[] {0, 1, 50, 99, 100}) {
        assertThat(ProgressBar.line("heat", done, 100, columns)).hasSizeLessThan(columns);
      }
    }
  }

  @Test
  void narrowTerminalsLoseTheBarBeforeTheLabelBeforeThePercentage() {
    assertThat(ProgressBar.line("heat", 1, 2, 80)).matches("heat \\[#+\\.+]  50 % 1/2");
    assertThat(ProgressBar.line("heat", 1, 2, 20)).isEqualTo("heat  50 %");
    assertThat(ProgressBar.line("heat", 1, 2, 8)).isEqualTo(" 50 %");
    assertThat(ProgressBar.line("heat", 1, 2, 3)).isEmpty();
  }

  @Test
  void hugeTotalsDoNotOverflow() {
    assertThat(ProgressBar.line("x", Long.MAX_VALUE / 2, Long.MAX_VALUE, 100))
        .contains("[####################....................]", " 50 %");
  }

  @Test
  void noStepsIsWrongUse() {
    assertThatThrownBy(() -> bar(80, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("was 0");
  }

  private ProgressBar bar(int columns, long total) {
    return new ProgressBar(new PrintWriter(text), Env.real(), columns, "heat", total);
  }
}
