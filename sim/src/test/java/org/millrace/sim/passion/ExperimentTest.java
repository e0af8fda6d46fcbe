package org.millrace.sim.passion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.access.Range;

/** Small arrays, counted by hand; {@code docs/simulation.md} has the paper's. */
final class ExperimentTest {

  private static final int RANKS = 16;
  private static final long ALL = Long.MAX_VALUE;

  /** Rows and columns: four columns are a block. */
  private static final long EXTENT = 256;

  private static final long BLOCKS = EXTENT * EXTENT * Experiment.ELEMENT / Delta.BLOCK;

  private static Workload section(Range rows, Range columns) {
    return new Workload.Common("test", EXTENT, rows, columns, 0, 0);
  }

  private static final Workload FEW_ROWS = section(Range.of(1, 16), Range.of(1, EXTENT));
  private static final Workload FEW_COLUMNS = section(Range.of(1, EXTENT), Range.of(1, 16));

  private static Experiment experiment() {
    return new Experiment(RANKS, EXTENT, 3, ALL);
  }

  @Test
  void theSameSeedTakesTheSameCourse() {
    Outcome one = experiment().read(FEW_ROWS, Method.EXTENDED);
    assertThat(experiment().read(FEW_ROWS, Method.EXTENDED)).isEqualTo(one);
    assertThat(new Experiment(RANKS, EXTENT, 4, ALL).read(FEW_ROWS, Method.EXTENDED).traceHash())
        .isNotEqualTo(one.traceHash());
  }

  @Test
  void directAsksOnceForEachColumnOnEachProcessorAndDisksReadEachBlockOnce() {
    Outcome outcome = experiment().read(FEW_ROWS, Method.DIRECT);
    assertThat(outcome.wantedBytes()).isEqualTo(RANKS * 16 * EXTENT * Experiment.ELEMENT);
    assertThat(outcome.reads()).isEqualTo(BLOCKS);
    assertThat(outcome.diskBytes()).isEqualTo(BLOCKS * Delta.BLOCK);
    assertThat(outcome.messages()).isBetween(2 * RANKS * EXTENT, 2 * RANKS * (EXTENT + 8));
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void aSectionThatAllWantComesFromTheDisksOnce(Method method) {
    Outcome outcome = experiment().read(FEW_COLUMNS, method);
    assertThat(outcome.wantedBytes()).isEqualTo(RANKS * 16 * EXTENT * Experiment.ELEMENT);
    assertThat(outcome.reads()).isEqualTo(16 * EXTENT * Experiment.ELEMENT / Delta.BLOCK);
  }

  @Test
  void nodesAreAskedLessAndTheReadEndsSoonerIfTheProcessorsShareIt() {
    Experiment experiment = experiment();
    Outcome direct = experiment.read(FEW_ROWS, Method.DIRECT);
    Outcome extended = experiment.read(FEW_ROWS, Method.EXTENDED);
    assertThat(direct.seconds()).isGreaterThan(3 * extended.seconds());
  }

  @Test
  void secondReadingsFindNothingInTheCaches() {
    Experiment experiment = experiment();
    Outcome first = experiment.read(FEW_COLUMNS, Method.DIRECT);
    assertThat(experiment.read(FEW_COLUMNS, Method.DIRECT).reads()).isEqualTo(first.reads());
  }

  @Test
  void aNodeThatReadsAgainForEachRequestGoesToTheDiskAsOftenAsItIsAsked() {
    Cause again = cause("extra I/O");
    Experiment experiment = new Experiment(RANKS, EXTENT, 3, ALL, again);
    Outcome direct = experiment.read(FEW_ROWS, Method.DIRECT);
    assertThat(direct.reads()).isEqualTo(RANKS * EXTENT); // a column is a quarter of a block
    Outcome cached = experiment().read(FEW_ROWS, Method.DIRECT);
    assertThat(direct.diskShare() * direct.seconds())
        .isGreaterThan(10 * cached.diskShare() * cached.seconds());
    Outcome columns = experiment.read(FEW_COLUMNS, Method.DIRECT);
    assertThat(columns.reads()).isEqualTo(RANKS * 16 * EXTENT * Experiment.ELEMENT / Delta.BLOCK);
  }

  @Test
  void scatteredBlocksKeepTheDisksBusyForLongerAndAreReadOnce() {
    long extent = 512; // four blocks on each disk
    Workload rows = new Workload.Common("test", extent, Range.of(1, 16), Range.of(1, extent), 0, 0);
    Outcome near = new Experiment(RANKS, extent, 3, ALL).read(rows, Method.EXTENDED);
    Outcome far =
        new Experiment(RANKS, extent, 3, ALL, cause("scattered")).read(rows, Method.EXTENDED);
    assertThat(far.reads()).isEqualTo(near.reads());
    assertThat(far.diskShare() * far.seconds())
        .isGreaterThan(1.2 * near.diskShare() * near.seconds());
  }

  private static Cause cause(String name) {
    return Cause.all().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void everyCauseHasAColumnAndASource() {
    Map<Cause, List<Outcome>> outcomes = new LinkedHashMap<>();
    Workload fifth = Workload.table1().get(4);
    for (Cause cause : Cause.all()) {
      outcomes.put(cause, List.of(new Outcome(fifth, Method.DIRECT, 4096, 52.5, 1, 1, 7, 1, 0, 0)));
    }
    String text = PassionTables.causes(outcomes);
    for (Cause cause : Cause.all()) {
      assertThat(text).contains(cause.name() + ": " + cause.from());
    }
    assertThat(text).containsPattern("V \\(1:16, 1:4096\\) +118.200 +52.500 +7 +52.500 +7");
  }

  @Test
  void everyDistributionOfFigure2IsTheWholeArray() {
    Experiment experiment = new Experiment(64, 128, 3, ALL);
    for (Workload workload : Workload.figure2(128)) {
      for (Method method : List.of(Method.TWO_PHASE, Method.EXTENDED)) {
        Outcome outcome = experiment.read(workload, method);
        assertThat(outcome.wantedBytes()).isEqualTo(128 * 128 * Experiment.ELEMENT);
        assertThat(outcome.isExtended()).isFalse();
      }
    }
  }

  @Test
  void aPartOfTheColumnsStandsForAll() {
    long extent = 512;
    Workload rows = Workload.figure2(extent).get(3);
    assertThat(rows.name()).isEqualTo("row-block");
    Outcome all = new Experiment(64, extent, 3, ALL).read(rows, Method.DIRECT);
    Outcome half = new Experiment(64, extent, 3, 64 * extent / 2).read(rows, Method.DIRECT);
    assertThat(all.isExtended()).isFalse();
    assertThat(half.columns()).isEqualTo(extent / 2);
    assertThat(half.wantedBytes()).isEqualTo(all.wantedBytes());
    assertThat(half.diskBytes()).isEqualTo(all.diskBytes());
    assertThat(half.seconds()).isCloseTo(all.seconds(), within(0.15 * all.seconds()));
  }

  @Test
  void thePapersSecondsStandBesideOurs() {
    Workload fifth = Workload.table1().get(4);
    assertThat(fifth.paper(Method.DIRECT)).isEqualTo(118.2);
    assertThat(fifth.paper(Method.EXTENDED)).isEqualTo(3.241);
    List<Outcome> outcomes =
        List.of(
            new Outcome(fifth, Method.DIRECT, 4096, 52.5, 1, 1, 1, 1, 0, 0),
            new Outcome(fifth, Method.EXTENDED, 4096, 4.2, 1, 1, 1, 1, 0, 0));
    assertThat(PassionTables.table1(outcomes))
        .contains("4096 x 4096 array, 16 processors")
        .containsPattern("V \\(1:16, 1:4096\\) +118.200 +52.500 +3.241 +4.200 +36.5 +12.5");
  }
}
