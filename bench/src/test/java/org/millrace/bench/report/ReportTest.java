package org.millrace.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.bench.testing.Json;

/** Numbers, verdicts and the three ways to print rows. */
class ReportTest {

  private static final Machine MACHINE = new Machine("25", "a \"system\" <&>", 2, "today");

  private static final Row GOOD =
      Row.of(
          "a",
          "good \\ \"row\"\t<x>",
          new Series(8, 9, 12),
          Unit.BYTES_PER_SECOND,
          new Series(10, 10, 20),
          Target.ratio(0.8));

  private static final Row SLOW = Row.of("a", "slow", 999, Unit.PER_SECOND, Target.atLeast(1000));

  private static final Row FAT = Row.of("b", "fat", 11, Unit.BYTES, Target.atMost(10));

  private static final Row LIMIT = Row.of("b", "limit", 1e12, Unit.PER_SECOND, Target.NONE);

  private static final Row SKIPPED =
      Row.skipped("b", "skipped", Unit.BYTES, Target.atMost(10), "no root");

  private static final List<Row> ROWS = List.of(GOOD, SLOW, FAT, LIMIT, SKIPPED);

  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "12, 12 B",
    "1.234, 1.23 B",
    "12.34, 12.3 B",
    "999, 999 B",
    "999.7, 1.00 kB",
    "123456, 123 kB",
    "9.996e6, 10.0 MB",
    "2.5e13, 25.0 TB",
    "3e15, 3000 TB"
  })
  void valuesHaveThreeDigitsAndAPrefix(double value, String text) {
    assertThat(Unit.BYTES.format(value)).isEqualTo(text);
  }

  @Test
  void ratioIsTheMedianOfLapsThatBelongTogether() {
    Series series = new Series(8, 9, 30);
    assertThat(series.median()).isEqualTo(9);
    assertThat(series.ratioTo(new Series(10, 10, 60))).isEqualTo(0.8);
    assertThat(new Series(1, 3).median()).isEqualTo(2);
    assertThatThrownBy(() -> series.ratioTo(new Series(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3 laps");
  }

  @Test
  void verdictComparesWhatTheTargetSays() {
    assertThat(ROWS)
        .extracting(Row::verdict)
        .containsExactly(
            Row.Verdict.OK,
            Row.Verdict.BELOW,
            Row.Verdict.ABOVE,
            Row.Verdict.INFO,
            Row.Verdict.SKIPPED);
  }

  @Test
  void columnsOfTheTableStandBelowTheirHeadings() {
    String heading = TextTable.heading();
    int verdict = heading.indexOf("verdict");
    assertThat(ROWS)
        .extracting(row -> TextTable.line(row).substring(verdict))
        .containsExactly("ok", "below", "above", "-", "skipped  (no root)");
    assertThat(TextTable.line(GOOD)).contains("9 B/s", "10 B/s", "0.80", ">= 0.80");
    assertThat(TextTable.line(SLOW)).contains("999 /s", ">= 1.00 k/s");
  }

  @Test
  void jsonIsWellFormedAndComplete() {
    Object read = Json.read(JsonReport.of(MACHINE, ROWS));
    assertThat(read)
        .extracting("machine.system", "machine.processors")
        .containsExactly(MACHINE.system(), 2.0);
    List<?> rows = (List<?>) ((Map<?, ?>) java.util.Objects.requireNonNull(read)).get("rows");
    assertThat(rows)
        .extracting("what", "value", "limit", "ratio", "target", "verdict")
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(GOOD.what(), 9.0, 10.0, 0.8, 0.8, "OK"),
            org.assertj.core.groups.Tuple.tuple("slow", 999.0, null, null, 1000.0, "BELOW"),
            org.assertj.core.groups.Tuple.tuple("fat", 11.0, null, null, 10.0, "ABOVE"),
            org.assertj.core.groups.Tuple.tuple("limit", 1e12, null, null, null, "INFO"),
            org.assertj.core.groups.Tuple.tuple("skipped", null, null, null, 10.0, "SKIPPED"));
  }

  @Test
  void pageEscapesTextAndDrawsABarForEachRowWithATarget() {
    String page = HtmlReport.of("millrace bench tiny", MACHINE, ROWS);
    assertThat(page).contains("<title>millrace bench tiny</title>");
    assertThat(page).contains("a \"system\" &lt;&amp;&gt;").doesNotContain("<x>");
    assertThat(page.split("<svg", -1)).hasSize(4);
    assertThat(page).doesNotContain("http");
  }

  /** From the target's line on, to the side that says so. */
  @Test
  void betterIsToTheRightAndWorseToTheLeftWhateverIsGood() {
    Row half = Row.of("a", "half of at most", 5, Unit.MICROSECONDS, Target.atMost(10));
    Row most = Row.of("a", "at most", 10, Unit.MICROSECONDS, Target.atMost(10));
    Row twice = Row.of("a", "twice at least", 20, Unit.MICROSECONDS, Target.atLeast(10));
    Row fat = Row.of("a", "twice of at most", 20, Unit.MICROSECONDS, Target.atMost(10));
    Row none = Row.of("a", "nothing of at most", 0, Unit.MICROSECONDS, Target.atMost(10));
    assertThat(List.of(half, most, twice, fat, none))
        .extracting(row -> row.reached().orElseThrow())
        .containsExactly(2.0, 1.0, 2.0, 0.5, Double.POSITIVE_INFINITY);
    String page = HtmlReport.of("x", MACHINE, List.of(half, fat, none));
    assertThat(page).contains("ends at 64 times", "2.00 times as good", "0.50 times as good");
  }
}
