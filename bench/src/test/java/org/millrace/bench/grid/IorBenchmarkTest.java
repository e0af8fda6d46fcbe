package org.millrace.bench.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.report.IorReport;
import org.millrace.bench.report.IorTable;
import org.millrace.bench.testing.Json;
import org.millrace.env.Env;
import org.millrace.plan.Strategy;
import org.xml.sax.InputSource;

/** IOR's offsets, loop and columns. */
class IorBenchmarkTest {

  @TempDir Path dir;

  private IorOptions options(
      boolean collective, boolean filePerProcess, boolean random, boolean reorder) {
    return new IorOptions(
        dir.resolve("new"),
        3,
        96,
        24,
        5,
        2,
        true,
        true,
        collective,
        filePerProcess,
        random,
        reorder,
        true,
        random,
        Strategy.AUTO);
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, false, false",
    "true, false, false, true",
    "true, false, true, false",
    "false, true, false, true",
    "true, true, true, true"
  })
  void everyRepetitionWritesAndReadsAndTheFolderIsGone(
      boolean collective, boolean filePerProcess, boolean random, boolean reorder)
      throws Exception {
    IorOptions options = options(collective, filePerProcess, random, reorder);
    List<IorRow> heard = new ArrayList<>();
    IorBenchmark benchmark = new IorBenchmark(Env.real(), options);
    List<IorRow> rows = benchmark.run(heard::add);
    assertThat(rows).isEqualTo(heard).hasSize(benchmark.steps());
    assertThat(rows).extracting(IorRow::access).containsExactly("write", "read", "write", "read");
    assertThat(rows)
        .allSatisfy(
            row -> {
              assertThat(row.bytes()).isEqualTo(3 * 96 * 5);
              assertThat(row.transfers()).isEqualTo(3 * 4 * 5);
              assertThat(row.totalSeconds()).isGreaterThanOrEqualTo(row.moveSeconds());
            });
    assertThat(options.folder()).doesNotExist();
  }

  @Test
  void offsetsAreIorsAndCoverTheFileOnce() {
    IorOptions options = options(true, false, false, false);
    Set<Long> seen = new HashSet<>();
    for (int r = 0; r < 3; r++) {
      int number = 0;
      for (long s = 0; s < 5; s++) {
        for (long t = 0; t < 4; t++) {
          long expected = s * (3 * 96) + r * 96L + t * 24;
          assertThat(options.offset(r, number)).isEqualTo(expected);
          seen.add(expected);
          number++;
        }
      }
    }
    assertThat(seen).hasSize(60);
    assertThat(options(true, true, false, false).offset(2, 7)).isEqualTo(7 * 24);
  }

  @Test
  void wrongSizesAreRefused() {
    assertThatThrownBy(
            () ->
                new IorOptions(
                    dir,
                    4,
                    100,
                    24,
                    1,
                    1,
                    true,
                    true,
                    true,
                    false,
                    false,
                    false,
                    false,
                    false,
                    Strategy.AUTO))
        .hasMessageContaining("100 bytes")
        .hasMessageContaining("24 bytes");
    assertThatThrownBy(
            () ->
                new IorOptions(
                    dir,
                    4,
                    100,
                    20,
                    1,
                    1,
                    true,
                    true,
                    true,
                    false,
                    false,
                    false,
                    false,
                    false,
                    Strategy.AUTO))
        .hasMessageContaining("20 bytes");
    assertThatThrownBy(
            () ->
                new IorOptions(
                    dir,
                    4,
                    1L << 40,
                    8,
                    1,
                    1,
                    true,
                    true,
                    true,
                    false,
                    false,
                    false,
                    false,
                    false,
                    Strategy.AUTO))
        .hasMessageContaining("in all");
  }

  @Test
  void tableJsonAndPageHaveAllRows() throws Exception {
    IorOptions options = options(true, false, false, true);
    List<IorRow> rows =
        List.of(
            new IorRow(true, 0, 1 << 20, 100, 4, 0.1, 0.5, 0.4, 1),
            new IorRow(false, 0, 1 << 20, 100, 4, 0.1, 0.2, 0.2, 0.5),
            new IorRow(false, 1, 1 << 20, 100, 4, 0.1, 0.05, 0.1, 0.25));
    assertThat(IorTable.line(options, rows.getFirst()))
        .startsWith("write     1.00       200.00     0.020000");
    assertThat(IorTable.heading()).contains("bw(MiB/s)", "wr/rd(s)", "iter");
    assertThat(IorTable.summary(rows))
        .contains("Max Write: 1.00 MiB/sec (1.05 MB/sec)", "Max Read:  4.00 MiB/sec")
        .containsPattern("read +4.00 +2.00 +3.00 +1.00 +0.375000");

    Machine machine = new Machine("25", "<system>", 2, "today");
    var grid = new StrategyGrid.Result(List.of(), List.of());
    Map<?, ?> read =
        (Map<?, ?>) Objects.requireNonNull(Json.read(IorReport.json(machine, options, rows, grid)));
    assertThat((List<?>) read.get("ior")).extracting("bwMiB").containsExactly(1.0, 2.0, 4.0);
    String page = IorReport.html(machine, options, rows, grid);
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(page)));
    assertThat(page.split("<svg", -1)).hasSize(4);
  }

  @Test
  void yardsticksMoveTheSameBytes() throws Exception {
    var result =
        new IorBenchmark(Env.real(), options(true, true, false, false)).yardsticks(row -> {});
    assertThat(result.rows()).extracting(GridRow::bytes).containsExactly(1440L, 1440L);
  }
}
