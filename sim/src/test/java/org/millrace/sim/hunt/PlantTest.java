package org.millrace.sim.hunt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** That the hunt finds each planted bug within the number of seeds that the bug states. */
final class PlantTest {

  private static final int WORKERS = 2;

  private static final int MANY_SEEDS = 80;

  static Stream<Plant> common() {
    return Stream.of(Plant.values()).filter(plant -> plant.seeds() < MANY_SEEDS);
  }

  static Stream<Plant> rare() {
    return Stream.of(Plant.values()).filter(plant -> plant.seeds() >= MANY_SEEDS);
  }

  @ParameterizedTest
  @MethodSource("common")
  void isFoundInTimeAndFoundAgainByItsSeed(Plant plant) {
    find(plant);
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("rare")
  void isFoundInTimeThoughItTakesManySeeds(Plant plant) {
    find(plant);
  }

  private static void find(Plant plant) {
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
