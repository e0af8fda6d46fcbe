package org.millrace.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.millrace.bench.grid.Cell;
import org.millrace.bench.report.TextTable;

/** When numbers are said to come from a busy machine. */
final class BusyTest {

  @Test
  void lapsThatDifferMuchAreSaidToAndOneOutlierIsNot() {
    assertThat(Busy.isSpread(1, 1.1, 0.9, 1.2, 1)).isFalse();
    assertThat(Busy.isSpread(1, 1.1, 0.9, 9, 1)).isFalse();
    assertThat(Busy.isSpread(1, 1.1, 4, 9, 1)).isTrue();
    assertThat(Busy.isSpread(1, 2.1, 1)).isTrue();
    assertThat(Busy.isSpread(1, 100)).as("two laps say nothing").isFalse();
  }

  @Test
  void sharesAndRatiosAboveWhatIsPossibleCarryTheWord() {
    assertThat(Busy.percent(10.25)).isEqualTo("1025.0 % busy");
    assertThat(Busy.percent(0.991)).isEqualTo("99.1 %");
    assertThat(Busy.ratio(1.31)).isEqualTo("1.31 busy");
    assertThat(Busy.ratio(1.02)).isEqualTo("1.02");
  }

  @Test
  void whatOthersUseOfTheProcessorsIsAllThatIsUsedWithoutOurOwn() {
    Busy.Sample begin = Busy.Sample.of("cpu  100 0 100 800 0 0 0 0 0 0", 50);
    Busy.Sample alone = Busy.Sample.of("cpu  150 0 150 1200 100 0 0 0 0 0", 148);
    Busy.Sample crowded = Busy.Sample.of("cpu  300 0 150 1000 0 0 0 50 0 0", 100);
    assertThat(alone.others(begin)).isBetween(0.0, 0.01);
    assertThat(crowded.others(begin)).isEqualTo((300 - 50) / 500.0);
    assertThat(Busy.verdict(alone.others(begin))).isEmpty();
    assertThat(Busy.verdict(crowded.others(begin)).orElseThrow())
        .startsWith("busy: other processes used 50 % of the processors");
  }

  @Test
  void aRowOfLapsThatDifferSaysSoBesideItsOtherNotes() {
    Series calm = new Series(1, 1.1, 1.2);
    Series wild = new Series(1, 5, 9);
    Row row = Row.of("b", "w", wild, Unit.PER_SECOND, calm, Target.NONE).withNote("cold");
    assertThat(TextTable.line(row)).endsWith("(busy: laps differ; cold)");
    assertThat(Row.of("b", "w", calm, Unit.PER_SECOND, calm, Target.NONE).note()).isEmpty();
  }

  @Test
  void aCellOfLapsThatDifferIsKnown() {
    assertThat(Cell.of("m", Cell.How.MEASURED, List.of(1.0, 4.0, 9.0)).isSpread()).isTrue();
    assertThat(Cell.of("m", Cell.How.MEASURED, List.of(1.0, 1.1, 1.2)).isSpread()).isFalse();
  }

  @Test
  void theMachineTellsOnLinux() {
    Optional<Busy.Sample> now = Busy.Sample.now();
    if (System.getProperty("os.name").equals("Linux")) {
      assertThat(now.orElseThrow().all()).isPositive();
      assertThat(now.orElseThrow().own()).isPositive();
    }
  }

  @Test
  void overlapsOfMoreThanThereWasOrOfLapsThatDifferAreMarked() {
    double[] steady = {10, 11, 10};
    assertThat(Busy.ofOverlap(new double[] {0.4, 1.0, 0.9}, steady, steady)).isEmpty();
    assertThat(Busy.ofOverlap(new double[] {0.4, 1.3, 0.9}, steady, steady))
        .startsWith(Busy.WORD + ": more");
    assertThat(Busy.ofOverlap(new double[] {0.4, 0.5, 0.9}, steady, new double[] {10, 11, 25}))
        .startsWith(Busy.WORD + ": laps");
  }
}
