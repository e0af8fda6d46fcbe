package org.millrace.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.processes.ProcessesOptions;
import org.millrace.bench.report.EdonioReport;
import org.millrace.heritage.fem.Phases;

final class EdonioBenchmarkTest {

  private static final Machine MACHINE = new Machine("25", "Linux", 2, "2026-01-01T00:00:00Z");

  @TempDir private Path folder;

  /** Counts steps and keeps names. */
  private static final class Ear implements EdonioBenchmark.Listener {

    private final List<String> heard = new ArrayList<>();
    private int left;

    @Override
    public void begins(String table, int steps) {
      assertThat(left).isZero();
      left = steps;
      heard.add(table);
    }

    @Override
    public void stepped() {
      left--;
    }

    @Override
    public void ended(EdonioTable table) {
      assertThat(left).as("steps that were announced").isZero();
    }
  }

  @Test
  void everyTableHasEveryWay() throws IOException {
    EdonioOptions options =
        new EdonioOptions(folder.resolve("bench"), ProcessesOptions.Size.TINY, List.of());
    Ear ear = new Ear();
    List<EdonioTable> tables = new EdonioBenchmark(options).run(ear);
    assertThat(ear.heard).isEqualTo(EdonioBenchmark.names());
    assertThat(tables)
        .allSatisfy(
            table ->
                assertThat(table.rows())
                    .isNotEmpty()
                    .allSatisfy(
                        row -> {
                          assertThat(row.lines())
                              .extracting(EdonioTable.Line::way)
                              .as("the report's numbers stand beside its own grids only")
                              .containsExactly("EDONIO", "PFS", "FileChannel");
                          EdonioTable.Line plain = row.lines().getLast();
                          assertThat(plain.writeGain()).isEqualTo(1);
                          assertThat(plain.readGain()).isEqualTo(1);
                        }));
    assertThat(folder.resolve("bench")).doesNotExist();
  }

  @Test
  void theReportsNumbersAreThereWithTheirGains() {
    List<EdonioTable.Line> lines = EdonioPaper.lines("5.3", "1");
    assertThat(lines).extracting(EdonioTable.Line::way).containsExactly("EDONIO 1995", "NX 1995");
    assertThat(lines.getFirst().phases().write()).isEqualTo(29.1);
    assertThat(lines.getFirst().writeGain()).isBetween(9.2, 9.4);
    assertThat(lines.getLast().phases().read()).isEqualTo(213.7);
    assertThat(EdonioPaper.lines("5.1", "8192"))
        .singleElement()
        .satisfies(line -> assertThat(line.writeGain()).isNaN());
    assertThat(EdonioPaper.lines("5.1", "3")).isEmpty();
  }

  @Test
  void textJsonAndPageHaveAllNumbers() {
    Phases ours = new Phases(0.5, 2, 0.25, 0, 0.125, 12.5, 0);
    Phases plain = new Phases(1, 4, 0.5, 0, 0, 25, 0);
    var line = EdonioTable.Line.of("EDONIO", ours, plain);
    var noNx = new EdonioTable.Line("EDONIO 1995", plain, Double.NaN, Double.NaN);
    var row = new EdonioTable.Row("1024", List.of(line, noNx));
    var table = new EdonioTable("5.1", "a <title>", "cache KB", List.of(row));
    assertThat(table.text())
        .startsWith("Table 5.1: a <title>")
        .containsPattern("1024 +EDONIO +0.500 +2.0 +0.250 +0.000 +0.125 +12.5 +0.000 +2.00x +1.98x")
        .containsPattern("EDONIO 1995 .* - +-");
    assertThat(EdonioReport.json(MACHINE, List.of(table)))
        .contains("\"table\": \"5.1\"", "\"write\": 2.000000", "\"writeGain\": 2.000")
        .contains("\"readGain\": null");
    assertThat(EdonioReport.page(MACHINE, List.of(table)))
        .contains("<svg", "a &lt;title&gt;", "cache KB 1024, EDONIO</text>")
        .doesNotContain("1024, EDONIO 1995</text>");
  }

  @Test
  void unknownTablesAreRefused() {
    assertThatThrownBy(() -> new EdonioOptions(folder, ProcessesOptions.Size.TINY, List.of("5.6")))
        .hasMessageContaining("there is no table 5.6, but 5.1");
  }
}
