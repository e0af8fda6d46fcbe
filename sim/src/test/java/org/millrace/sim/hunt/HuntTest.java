package org.millrace.sim.hunt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** That worlds depend on their seeds alone, and that there is nothing to find in the first ones. */
final class HuntTest {

  @Test
  void sameSeedTwiceHasTheSameTrace() {
    for (long seed = 1; seed <= 6; seed++) {
      Verdict first = Hunt.run(seed);
      Verdict second = Hunt.run(seed);
      assertThat(second.traceHash()).as("seed %d", seed).isEqualTo(first.traceHash());
      assertThat(second.story()).isEqualTo(first.story());
    }
  }

  @Test
  void otherSeedsHaveOtherTraces() {
    assertThat(Hunt.run(1).traceHash()).isNotEqualTo(Hunt.run(2).traceHash());
  }

  @Test
  void theFirstSeedsAreClean() {
    List<Verdict> failures = new Campaign(1, 20, Optional.empty(), 3, _ -> {}).run(1);
    assertThat(failures).as("replay: millrace sim hunt --seed S").isEmpty();
  }

  @Test
  void aFailingSeedTellsTheSameStoryTwice() {
    Verdict first = Hunt.run(3, Plant.DROPPED_DIRTY_BLOCK);
    assertThat(first.failure()).isPresent();
    assertThat(first.story()).last().asString().contains("checker");
    assertThat(Hunt.run(3, Plant.DROPPED_DIRTY_BLOCK)).isEqualTo(first);
  }
}
