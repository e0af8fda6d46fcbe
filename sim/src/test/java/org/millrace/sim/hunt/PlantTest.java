package org.millrace.sim.hunt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That the hunt finds each planted bug within the number of seeds that the bug states. */
final class PlantTest {

  @ParameterizedTest
  @EnumSource(Plant.class)
  void isFoundInTime(Plant plant) {
    assertThat(LongStream.rangeClosed(1, plant.seeds()))
        .as("seeds that find %s", plant.word())
        .anyMatch(seed -> !Hunt.run(seed, plant).isClean());
  }

  @Test
  void unknownNamesAreRefusedWithTheKnownOnes() {
    assertThat(Plant.parse("removed-fsync")).isEqualTo(Plant.REMOVED_FSYNC);
    assertThatThrownBy(() -> Plant.parse("gremlin"))
        .hasMessageContaining("gremlin")
        .hasMessageContaining("lost-wake-up");
  }
}
