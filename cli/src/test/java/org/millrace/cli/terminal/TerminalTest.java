package org.millrace.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class TerminalTest {

  @Test
  void coloursAreForTerminalsWhoseUsersWantThem() {
    assertThat(Terminal.hasColours(Map.of("TERM", "xterm"), true)).isTrue();
    assertThat(Terminal.hasColours(Map.of("NO_COLOR", ""), true)).isTrue();
    assertThat(Terminal.hasColours(Map.of("NO_COLOR", "1"), true)).isFalse();
    assertThat(Terminal.hasColours(Map.of("TERM", "dumb"), true)).isFalse();
    assertThat(Terminal.hasColours(Map.of(), false)).isFalse();
  }

  @Test
  void wordsWithoutColoursAreWords() {
    assertThat(Colour.BAD.of("fail", false)).isEqualTo("fail");
    assertThat(Colour.BAD.of("fail", true)).isEqualTo("\033[31;1mfail\033[0m");
  }
}
