package org.millrace.sim.kotz;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The shape of Kotz's results, with a smaller file; {@code docs/simulation.md} has the whole. Bands
 * are wide: a change of the code that leaves them is news, not noise.
 */
final class ExperimentTest {

  private static final long BYTES = 5L << 19;
  private static final List<Outcome> OUTCOMES = new ArrayList<>();

  @BeforeAll
  static void run() {
    for (AccessPattern pattern : AccessPattern.representative()) {
      for (FileSystem system : FileSystem.values()) {
        OUTCOMES.add(Experiment.run(Hardware.TABLE_1, pattern, system, BYTES, 1));
      }
    }
  }

  private static Outcome of(String role, FileSystem system) {
    return OUTCOMES.stream()
        .filter(one -> one.pattern().role().equals(role) && one.system() == system)
        .findFirst()
        .orElseThrow();
  }

  private static Outcome traditional(String role) {
    return of(role, FileSystem.TRADITIONAL);
  }

  private static Outcome directed(String role) {
    return of(role, FileSystem.DIRECTED);
  }

  @Test
  void easyPatternsAreFastAndLeaveTheProcessorFreeInBoth() {
    for (FileSystem system : FileSystem.values()) {
      for (String role : List.of("easy read", "easy write")) {
        Outcome easy = of(role, system);
        assertThat(easy.megabytesPerSecond()).as(role).isBetween(24.0, 35.0);
        assertThat(easy.free()).as(role).isBetween(0.90, 0.98);
        assertThat(easy.freeWithBarriers()).as(role).isBetween(0.86, 0.98);
      }
    }
  }

  @Test
  void onHardPatternsDiskDirectedIsSeveralTimesFasterAndEatsTheProcessor() {
    for (String role : List.of("hard read", "hard write")) {
      Outcome directed = directed(role);
      Outcome traditional = traditional(role);
      assertThat(directed.megabytesPerSecond()).as(role).isBetween(10.0, 20.0);
      assertThat(directed.megabytesPerSecond())
          .as(role)
          .isGreaterThan(5 * traditional.megabytesPerSecond());
      assertThat(directed.free()).as(role).isLessThan(0.3); // the flush weighs more than with 10 MB
      assertThat(traditional.free()).as(role).isGreaterThan(0.5);
    }
  }

  @Test
  void barriersHurtHardPatternsUnderTraditionalCachingMost() {
    for (String role : List.of("hard read", "hard write")) {
      Outcome traditional = traditional(role);
      double lost = traditional.free() - traditional.freeWithBarriers();
      assertThat(lost).as(role).isGreaterThan(0.4);
      for (Outcome other : OUTCOMES) {
        if (other.system() == FileSystem.DIRECTED || other.pattern().element() > 8) {
          assertThat(other.free() - other.freeWithBarriers()).isLessThan(lost / 2);
        }
      }
    }
  }

  @Test
  void everyElementOfAHardPatternIsARequestAndAnAnswer() {
    long elements = BYTES / Long.BYTES;
    assertThat(traditional("hard read").messages()).isBetween(2 * elements, 2 * elements + 5_000);
    assertThat(directed("hard read").messages()).isBetween(elements, elements + 5_000);
  }

  @Test
  void easyPatternsMoveEachBlockOnce() {
    assertThat(traditional("easy read").transfers()).isEqualTo(BYTES / AccessPattern.BLOCK);
    assertThat(directed("easy write").transfers()).isEqualTo(BYTES / AccessPattern.BLOCK);
  }

  @Test
  void theSameSeedGivesTheSameTraceAndAnotherSeedAnother() {
    for (FileSystem system : FileSystem.values()) {
      Outcome first = of("easy read", system);
      assertThat(Experiment.run(Hardware.TABLE_1, first.pattern(), system, BYTES, 1))
          .isEqualTo(first);
      assertThat(Experiment.run(Hardware.TABLE_1, first.pattern(), system, BYTES, 2).traceHash())
          .isNotEqualTo(first.traceHash());
    }
  }

  @Test
  void reportsHaveEveryOutcomeAndThePapersNumbers() {
    String text = Tables.of(OUTCOMES);
    assertThat(text).contains("hard write", "16.2", "Table 3");
    assertThat(KotzJson.of(1, OUTCOMES)).contains("\"paper\"", "wbc 8 B").endsWith("]}\n");
    assertThat(KotzPage.of(1, OUTCOMES))
        .contains("<svg", "disk-directed I/O")
        .endsWith("</html>\n");
  }
}
