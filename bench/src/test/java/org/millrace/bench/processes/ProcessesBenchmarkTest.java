package org.millrace.bench.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.bench.grid.StrategyTimes;
import org.millrace.bench.measure.ChildJvm;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.bench.micro.MicroBenchmarks;
import org.millrace.env.Env;
import org.millrace.plan.Strategy;

final class ProcessesBenchmarkTest {

  private static final MicroBenchmarks.Listener NOBODY =
      new MicroBenchmarks.Listener() {
        @Override
        public void begins(String benchmark, int steps) {}

        @Override
        public void stepped() {}

        @Override
        public void ended(List<Row> rows) {}
      };

  @TempDir private Path folder;

  private List<Row> rowsWithoutMpi(String section, List<String> workloads) throws IOException {
    return rowsWithoutMpi(section, workloads, false);
  }

  private List<Row> rowsWithoutMpi(String section, List<String> workloads, boolean strategies)
      throws IOException {
    ProcessesOptions options =
        new ProcessesOptions(
            folder.resolve("bench"),
            ProcessesOptions.Size.TINY,
            List.of(section),
            workloads,
            false,
            List.of(2),
            0,
            strategies);
    ProcessesBenchmark benchmark = new ProcessesBenchmark(Env.real(), options, List.of());
    assertThat(benchmark.missing().orElseThrow()).contains("mpicc.mpich", "apt-get install");
    List<Row> rows = benchmark.run(NOBODY);
    assertThat(folder.resolve("bench")).doesNotExist();
    return rows;
  }

  @Test
  @Tag("long")
  void largeRequestsGoFourWaysEachBesideItsSocket() throws IOException {
    List<Row> rows = rowsWithoutMpi("contiguous", List.of());
    assertThat(rows).hasSize(24).allMatch(row -> row.ratio().orElseThrow() > 0);
    assertThat(rows)
        .extracting(Row::what)
        .contains("shared memory, read, 1 MiB", "tcp, write, 16 MiB", "tls, read, 16 MiB");
    assertThat(rows).allMatch(row -> row.note().contains("/s to "));
  }

  @Test
  @Tag("long")
  void smallReadsStandBesideAPingPong() throws IOException {
    List<Row> rows = rowsWithoutMpi("small", List.of());
    assertThat(rows)
        .filteredOn(row -> row.target().of() == Target.Of.RATIO_AT_MOST)
        .hasSize(3)
        .allMatch(row -> row.ratio().orElseThrow() > 0);
  }

  @Test
  void collectiveCallsOfProcessesStandAloneWithoutMpi() throws IOException {
    List<Row> rows = rowsWithoutMpi("collective", List.of("row-block", "strided"));
    assertThat(rows).hasSize(6);
    Row first = rows.getFirst();
    assertThat(first.what()).isEqualTo("first call of new processes (row-block), 2 ranks");
    assertThat(first.target().of()).isEqualTo(Target.Of.RATIO_AT_MOST);
    assertThat(first.ratio().orElseThrow()).isPositive();
    assertThat(rows.subList(1, 5))
        .allMatch(
            row -> row.note().matches("[0-9.]+ ms, .* to .*; one JVM [0-9.]+: [0-9.]+ of it; .*"))
        .allMatch(row -> row.limit().isEmpty() && row.note().endsWith(ProcessesBenchmark.NO_MPI))
        .allMatch(row -> row.value().orElseThrow() > 0);
    Row threads = rows.getLast();
    assertThat(threads.what()).isEqualTo("at least 0.6 of one JVM, 2 ranks");
    assertThat(threads.value().orElseThrow()).isBetween(0.0, 1.0);
  }

  @Tag("long")
  @Test
  void strategiesStandBesideAutoIfTheyAreAskedFor() throws IOException {
    List<Row> rows = rowsWithoutMpi("collective", List.of("row-cyclic by 16"), true);
    assertThat(rows).hasSize(5);
    assertThat(rows.subList(1, 3))
        .allMatch(
            row ->
                row.note()
                    .matches(
                        "[0-9.]+ ms, .*; one JVM .* of it; sieved [0-9.]+, two-phase [0-9.]+,"
                            + " extended-two-phase [0-9.]+, disk-directed [0-9.]+;"
                            + " auto took [a-z-]+; .*"));
    Row auto = rows.getLast();
    assertThat(auto.what()).isEqualTo("auto is about as quick as the best, 2 ranks");
    assertThat(auto.value().orElseThrow()).isBetween(0.0, 1.0);
    assertThat(auto.note()).containsPattern("2 rows; .* forced, is in [0-2]$");
  }

  @Test
  void autoIsCloseWithinATenthOrAHundredMicroseconds() {
    StrategyTimes times = new StrategyTimes();
    times.add(Strategy.SIEVED, List.of(10e6, 11e6, 12e6));
    times.add(Strategy.DISK_DIRECTED, List.of(50e6));
    assertThat(times.isClose(12.1e6)).isTrue();
    assertThat(times.isClose(12.2e6)).isFalse();
    times.add(Strategy.TWO_PHASE, List.of(0.05e6));
    assertThat(times.isClose(0.149e6)).isTrue();
    assertThat(times.isClose(0.151e6)).isFalse();
    assertThat(times.isTakenWell()).as("nobody looked").isFalse();
    times.take("sieved");
    assertThat(times.isTakenWell()).isFalse();
    times.take("two-phase");
    assertThat(times.isTakenWell()).isTrue();
    assertThat(times)
        .hasToString("sieved 11.00, two-phase 0.05, disk-directed 50.00; auto took two-phase");
  }

  @Tag("long")
  @Test
  void appendsOfProcessesStandAloneWithoutMpi() throws IOException {
    List<Row> rows = rowsWithoutMpi("append", List.of());
    assertThat(rows).hasSize(1);
    assertThat(rows.getFirst().note()).isEqualTo(ProcessesBenchmark.NO_MPI);
    assertThat(rows.getFirst().verdict()).isEqualTo(Row.Verdict.INFO);
  }

  @Test
  @Tag("long")
  void barriersOfProcessesAreTimed() throws IOException {
    List<Row> rows = rowsWithoutMpi("barrier", List.of());
    assertThat(rows).hasSize(1);
    assertThat(rows.getFirst().value().orElseThrow()).isPositive();
  }

  @Test
  void unknownSectionsAreRefusedByName() {
    assertThatThrownBy(
            () ->
                new ProcessesOptions(
                    folder,
                    ProcessesOptions.Size.TINY,
                    List.of("smal"),
                    List.of(),
                    false,
                    List.of(4),
                    0,
                    false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("smal")
        .hasMessageContaining("contiguous, small, collective, append, barrier");
  }

  @Test
  void aCompanionThatFailsIsNamedWithWhatItSaid() throws IOException {
    try (ChildJvm companion =
        ChildJvm.start(folder, "asking", AskingProcess.class, List.of(), Map.of())) {
      assertThatThrownBy(() -> companion.ask("dance"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("asking: ")
          .hasMessageContaining("no order: dance");
    }
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left.map(Path::getFileName)).containsExactly(Path.of("asking.err"));
    }
  }

  @Test
  void aRatioThatMustBeSmallIsAboveWhenItIsNot() {
    Series one = new Series(3);
    Series limit = new Series(1);
    Row above = Row.of("b", "w", one, Unit.MICROSECONDS, limit, Target.ratioAtMost(2));
    Row ok = Row.of("b", "w", one, Unit.MICROSECONDS, limit, Target.ratioAtMost(3));
    assertThat(above.verdict()).isEqualTo(Row.Verdict.ABOVE);
    assertThat(above.reached().orElseThrow()).isLessThan(1);
    assertThat(ok.verdict()).isEqualTo(Row.Verdict.OK);
    assertThat(ok.target().format(Unit.MICROSECONDS)).isEqualTo("<= 3.00");
  }
}
