package org.millrace.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class SeedsTest {

  @Test
  void sameSeedsComeEveryTime() {
    assertThat(Seeds.of(5)).isEqualTo(Seeds.of(5));
  }

  @Test
  void seedsAreDifferentUnlessOneIsReplayed() {
    long[] seeds = Seeds.of(100);
    assertThat(Arrays.stream(seeds).distinct().count()).isEqualTo(seeds.length);
  }

  @Test
  void replayNamesTheProperty() {
    assertThat(Seeds.replay(-7)).isEqualTo("replay with -Dmillrace.seed=-7");
  }

  @Test
  void noSeedsIsWrongUse() {
    assertThatThrownBy(() -> Seeds.of(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("was 0");
  }
}
