package org.millrace.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.processes.ProcessesOptions;
import org.millrace.bench.report.DioReport;
import org.millrace.bench.testing.Json;

final class DioBenchmarkTest {

  private static final Machine MACHINE = new Machine("25", "Linux", 2, "2026-01-01T00:00:00Z");

  @TempDir private Path folder;

  private static DioBenchmark.Listener nobody() {
    return new DioBenchmark.Listener() {
      @Override
      public void begins(String medium, int steps) {}

      @Override
      public void stepped() {}

      @Override
      public void ended(List<DioCurve> curves) {}
    };
  }

  @Test
  void everyKindOfAccessHasACurveWithFourWays() throws IOException {
    DioOptions options =
        new DioOptions(folder.resolve("bench"), ProcessesOptions.Size.TINY, List.of());
    List<DioCurve> curves = new DioBenchmark(options).run(nobody());
    assertThat(curves)
        .extracting(DioCurve::title)
        .containsExactly(
            "cached, sequential read",
            "cached, random read",
            "cached, sequential write",
            "cached, random write",
            "disk, sequential read",
            "disk, random read",
            "disk, sequential write",
            "disk, random write");
    assertThat(curves)
        .allSatisfy(
            curve -> {
              assertThat(curve.lines())
                  .extracting(DioCurve.Line::way)
                  .containsExactly("local", "shared memory", "unix socket", "tcp");
              assertThat(curve.lines())
                  .allSatisfy(line -> assertThat(line.rates().values()).allMatch(rate -> rate > 0));
            });
    assertThat(folder.resolve("bench")).doesNotExist();
  }

  @Test
  void reportsHoldEveryPoint() {
    TreeMap<Integer, Double> local = new TreeMap<>(Map.of(4096, 2e9, 1 << 20, 8e9));
    TreeMap<Integer, Double> remote = new TreeMap<>(Map.of(4096, 1e8, 1 << 20, 4e9));
    DioCurve curve =
        new DioCurve(
            "cached",
            false,
            true,
            List.of(new DioCurve.Line("local", local), new DioCurve.Line("tcp", remote)));
    assertThat(curve.table()).contains("4 KiB", "2000.0", "100.0", "0.05", "1 MiB", "0.50");
    Object read = Json.read(DioReport.json(MACHINE, List.of(curve)));
    assertThat((List<?>) ((Map<?, ?>) Objects.requireNonNull(read)).get("points"))
        .hasSize(4)
        .anySatisfy(
            point ->
                assertThat((Map<?, ?>) point)
                    .extracting("way", "bytes", "bytesPerSecond")
                    .containsExactly("tcp", 4096.0, 1e8));
    String page = DioReport.page(MACHINE, List.of(curve));
    assertThat(page).contains("cached, random read").doesNotContain("NaN");
    for (String dot : List.of("class=\"fill0\"", "class=\"fill1\"")) {
      assertThat(page.split(dot, -1)).as(dot).hasSize(1 + 1 + 2); // the legend's and two points
    }
  }
}
