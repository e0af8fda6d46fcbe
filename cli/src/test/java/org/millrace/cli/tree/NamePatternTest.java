package org.millrace.cli.tree;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NamePatternTest {

  @ParameterizedTest
  @CsvSource({
    "*.npy, a.npy, true",
    "*.npy, .npy, false",
    ".*, .hidden, true",
    "*, .hidden, false",
    "a?c, abc, true",
    "a?c, ac, false",
    "[a-c]x, bx, true",
    "[a-c]x, dx, false",
    "[!a-c]x, dx, true",
    "[^a-c]x, ax, false",
    "[]]x, ]x, true",
    "[x, [x, true",
    "[.]x, ax, false",
    "[&a]x, &x, true",
    "a\\*b, a*b, true",
    "a\\*b, axb, false",
    "a.b, axb, false",
    "a+(b), a+(b), true",
    "*a*a*, banana, true"
  })
  void patternsMatchAsInAShell(String pattern, String name, boolean matches) {
    assertThat(NamePattern.of(pattern).matches(name)).isEqualTo(matches);
  }

  @ParameterizedTest
  @CsvSource({"plain, false", "a*, true", "a?, true", "[a], true", "a]b, false"})
  void plainNamesAreNoPatterns(String word, boolean pattern) {
    assertThat(NamePattern.isPattern(word)).isEqualTo(pattern);
  }
}
