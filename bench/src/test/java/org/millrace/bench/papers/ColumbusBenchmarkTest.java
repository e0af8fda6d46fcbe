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
import org.millrace.Cluster;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.bench.processes.ProcessesOptions;
import org.millrace.bench.report.ColumbusReport;
import org.millrace.bench.testing.Json;
import org.millrace.env.Env;

final class ColumbusBenchmarkTest {

  private static final Machine MACHINE = new Machine("25", "Linux", 2, "2026-01-01T00:00:00Z");

  @TempDir private Path folder;

  private static ColumbusBenchmark.Listener nobody() {
    return new ColumbusBenchmark.Listener() {
      @Override
      public void begins(int steps) {}

      @Override
      public void stepped() {}
    };
  }

  @Test
  void bothWaysAreMeasuredAndCheckedAndNothingIsLeft() throws IOException {
    Path bench = folder.resolve("bench");
    ColumbusOptions options = new ColumbusOptions(bench, ProcessesOptions.Size.TINY, 3);
    List<ColumbusResult> results = new ColumbusBenchmark(options).run(nobody());
    assertThat(results).hasSize(2);
    assertThat(results)
        .allSatisfy(
            one -> {
              assertThat(one.updates()).isEqualTo(30);
              assertThat(one.requestKilobytes()).isBetween(25.0, 35.0);
            });
    assertThat(ColumbusResult.table(results)).contains("strands", "one plain file", "ratio");
    assertThat(ColumbusResult.table1(results))
        .containsPattern("strands +0\\.\\d{3} GB .*DIO +900\\.957 GB +235708\\.32 s +3\\.823 MB/s")
        .containsPattern("plain file .*PIOFS +900\\.963 GB +906297\\.07 s +0\\.994 MB/s");
    Object read = Json.read(ColumbusReport.json(MACHINE, results));
    assertThat((List<?>) ((Map<?, ?>) Objects.requireNonNull(read)).get("ways")).hasSize(2);
    assertThat(ColumbusReport.page(MACHINE, results)).contains("one plain file", "<rect");
    assertThat(bench).doesNotExist();
  }

  @Test
  void anUpdateThatGotLostIsFound() throws IOException {
    try (Cluster cluster = Cluster.embedded(folder, 2)) {
      cluster.run(
          2,
          rank -> {
            try (ColumbusRank records = new ColumbusRank(Env.real(), rank, "records", 5)) {
              records.lap("way", 0, 10);
              records.verify(1, 10);
              assertThatThrownBy(() -> records.verify(1, 20))
                  .isInstanceOf(WrongResultException.class);
              rank.barrier();
            }
          });
    }
  }
}
