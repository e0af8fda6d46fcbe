package org.millrace.cli.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ModeChangeTest {

  /** As chmod of GNU says, without a umask. */
  @ParameterizedTest
  @CsvSource({
    "640, 0755, false, 0640",
    "1777, 0755, true, 1777",
    "u+x, 0644, false, 0744",
    "go-r, 0644, false, 0600",
    "a=r, 0755, false, 0444",
    "+w, 0444, false, 0666",
    "'u=rw,g=r,o=', 0777, false, 0640",
    "a+X, 0644, false, 0644",
    "a+X, 0744, false, 0755",
    "a+X, 0644, true, 0755",
    "g=u, 0640, false, 0660",
    "u+s, 0755, false, 4755",
    "g+s, 0755, true, 2755",
    "+t, 0777, true, 1777",
    "u+rw-x, 0100, false, 0600"
  })
  void clausesChangeBits(String change, String before, boolean directory, String after) {
    int bits = ModeChange.parse(change).apply(Integer.parseInt(before, 8), directory);
    assertThat("%04o".formatted(bits)).isEqualTo(after);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "888", "12345", "u", "x+u+y", "rw", "u+x,", "a+b"})
  void othersAreRefused(String change) {
    assertThatThrownBy(() -> ModeChange.parse(change))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is no mode");
  }
}
