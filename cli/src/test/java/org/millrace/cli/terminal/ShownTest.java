package org.millrace.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ShownTest {

  @Test
  void bytesHaveTwoDigitsOrThree() {
    assertThat(
            Stream.of(0.0, 1023.0, 1024.0, 10_188.0, 10_189.0, 1_047_552.0, 1_048_575.0, 9.2e18)
                .map(Shown::bytes))
        .containsExactly("0", "1023", "1.0K", "9.9K", "10K", "1023K", "1.0M", "8.0E");
  }

  @Test
  void timesHaveTheirUnits() {
    assertThat(
            Stream.of(0.0, 999.0, 1500.0, 25e3, 3.44e6, 15e9, 119e9, 121e9, 8e12, 2e14)
                .map(Shown::nanos))
        .containsExactly(
            "0 ns", "999 ns", "1.5 us", "25 us", "3.4 ms", "15 s", "119 s", "2 min", "2 h", "2 d");
  }

  @Test
  void modesLookAsLsShowsThem() {
    assertThat(Shown.mode(false, 0640)).isEqualTo("-rw-r-----");
    assertThat(Shown.mode(true, 0751)).isEqualTo("drwxr-x--x");
  }
}
