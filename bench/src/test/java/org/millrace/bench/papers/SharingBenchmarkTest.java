package org.millrace.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.bench.measure.Busy;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.processes.ProcessesOptions;
import org.millrace.bench.report.SharingReport;
import org.millrace.bench.testing.Json;

final class SharingBenchmarkTest {

  private static final Machine MACHINE = new Machine("25", "Linux", 2, "2026-01-01T00:00:00Z");

  @TempDir private Path folder;

  /** Counts what it is told. */
  private static final class Counting implements SharingBenchmark.Listener {

    private int announced;
    private int steps;

    @Override
    public void begins(int all) {
      announced = all;
    }

    @Override
    public void stepped() {
      steps++;
    }

    @Override
    public void ended(SharingResult result) {}
  }

  @Test
  void everyStreamIsMeasuredBesideComputingRanksAndBesideTheControl() throws IOException {
    SharingOptions options =
        new SharingOptions(folder.resolve("bench"), ProcessesOptions.Size.TINY, 2, false);
    Counting listener = new Counting();
    SharingResult result = new SharingBenchmark(options).run(listener);
    assertThat(result.aloneSeconds()).isPositive();
    assertThat(result.rows())
        .extracting(SharingResult.Row::stream)
        .containsExactly(SharingStream.values());
    assertThat(result.rows())
        .flatExtracting(SharingResult.Row::shared, SharingResult.Row::control)
        .hasSize(8)
        .allSatisfy(
            run -> {
              assertThat(((SharingResult.Run) run).seconds()).isPositive();
              assertThat(((SharingResult.Run) run).requestsPerSecond()).isPositive();
            });
    assertThat(listener.steps).isEqualTo(listener.announced).isEqualTo(12);
    assertThat(folder.resolve("bench")).doesNotExist();
  }

  private static SharingResult result(boolean bound) {
    return new SharingResult(
        6,
        bound,
        15,
        12,
        List.of(
            new SharingResult.Row(
                SharingStream.SEQUENTIAL_READ,
                new SharingResult.Run(20, 0.6, 40_000, 0.25, 0.5),
                new SharingResult.Run(15, 0.8, 50_000, 0.3, 0.6),
                0.75)));
  }

  @Test
  void efficiencyIsToTheComputationAloneAndToTheControl() {
    String table = result(false).table();
    assertThat(table.lines().toList().get(1)).contains("no I/O", "12.00", "130.8");
    assertThat(table.lines().toList().get(2))
        .contains("sequential read", "20.00", "60.0 %", "75.0 %", "40000", "219.9", "59.5 %");
    assertThat(table.lines().toList().get(3)).contains("15.00", "80.0 %", "50000");
  }

  @Test
  void thePapersEfficienciesAreThoseOfItsTable() {
    assertThat(SharingStream.values())
        .extracting(stream -> Busy.percent(stream.paperEfficiency()))
        .containsExactly("59.5 %", "72.1 %", "96.8 %", "67.5 %");
  }

  @Test
  void fewerProcessorsThanProcessesAreSaid() {
    assertThat(result(false).caution(2)).contains("8 processes", "2 processors");
    assertThat(result(false).caution(8)).isEmpty();
    assertThat(result(true).caution(2)).contains("6 ranks share 1 of 2 processors");
    assertThat(result(true).caution(7)).isEmpty();
  }

  @Test
  void reportsHoldEveryRun() {
    Object read = Json.read(SharingReport.json(MACHINE, result(false)));
    Map<?, ?> all = (Map<?, ?>) Objects.requireNonNull(read);
    assertThat(all.get("aloneSeconds")).isEqualTo(12.0);
    assertThat((List<?>) all.get("rows"))
        .extracting(row -> (Object) ((Map<?, ?>) row).get("efficiencyToControl"))
        .isEqualTo(List.of(0.75, 1.0));
    String page = SharingReport.page(MACHINE, result(false));
    assertThat(page).contains("<svg", "60.0 %", "80.0 %", "59.5 %", "8 processes share");
  }

  @Test
  void noRanksAreWrongUse() {
    assertThatThrownBy(() -> new SharingOptions(folder, ProcessesOptions.Size.TINY, 0, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0 ranks");
  }
}
