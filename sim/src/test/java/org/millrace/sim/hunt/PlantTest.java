package org.millrace.sim.hunt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That the hunt finds each planted bug within the number of seeds that the bug states. */
final class PlantTest {

  private static final int WORKERS = 2;

  @ParameterizedTest
  @EnumSource(Plant.class)
  void isFoundInTimeAndFoundAgainByItsSeed(Plant plant) {
    List<Verdict> found =
        new Campaign(1, plant.seeds(), Optional.of(plant), 1, _ -> {}, Optional.empty())
            .run(WORKERS);
    assertThat(found).as("seeds that find %s", plant.word()).isNotEmpty();
    Verdict first = found.getFirst();
    assertThat(first.story()).isNotEmpty();
    Verdict again = Hunt.run(first.seed(), plant);
    assertThat(again.failure()).isEqualTo(first.failure());
    assertThat(again.traceHash()).isEqualTo(first.traceHash());
  }

  @Test
  void unknownNamesAreRefusedWithTheKnownOnes() {
    assertThat(Plant.parse("removed-fsync")).isEqualTo(Plant.REMOVED_FSYNC);
    assertThatThrownBy(() -> Plant.parse("gremlin"))
        .hasMessageContaining("gremlin")
        .hasMessageContaining("lost-wake-up");
  }
}
