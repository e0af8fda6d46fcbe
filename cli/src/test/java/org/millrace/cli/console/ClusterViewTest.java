package org.millrace.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.error.MillraceException;
import org.millrace.output.Json;
import org.millrace.server.ConsoleChange;
import org.millrace.testing.Eventually;

/** What a console says of a cluster of listening servers: as JSON, and as metrics. */
final class ClusterViewTest {

  private static final List<String> NAMES =
      List.of(
          "millrace_node_up",
          "millrace_cache_hits",
          "millrace_cache_misses",
          "millrace_cache_dirty_bytes",
          "millrace_request_seconds",
          "millrace_disk_read_bytes_total",
          "millrace_disk_written_bytes_total",
          "millrace_corrupt_blocks_total",
          "millrace_waits",
          "millrace_copies_missing");

  @TempDir private Path folder;

  private static String state(ClusterView view) {
    return Json.of(view.state());
  }

  @Test
  void metricsAreWellFormedAndCountWhatHappened() throws IOException {
    try (LiveCluster cluster = new LiveCluster(folder.resolve("c"), 2);
        ClusterView view = cluster.view()) {
      cluster.put("x", 1 << 20, OpenOptions.create());
      PrometheusText metrics = PrometheusText.parse(view.metrics());
      assertThat(metrics.types()).containsKeys(NAMES.toArray(String[]::new));
      assertThat(metrics.value("millrace_up")).isEqualTo(1);
      assertThat(metrics.of("millrace_node_up")).hasSize(2).allMatch(one -> one.value() == 1);
      assertThat(metrics.value("millrace_waits")).isZero();
      double moved =
          metrics.of("millrace_request_bytes_total").stream().mapToDouble(one -> one.value()).sum();
      double written =
          metrics.of("millrace_disk_written_bytes_total").stream()
              .mapToDouble(one -> one.value())
              .sum();
      assertThat(written).isGreaterThanOrEqualTo(1 << 20);
      assertThat(moved).isNotNegative();
      assertThat(metrics.types()).containsEntry("millrace_request_seconds", "histogram");
      for (PrometheusText.Sample count : metrics.of("millrace_request_seconds_count")) {
        String node = count.labels().getOrDefault("node", "");
        String kind = count.labels().getOrDefault("kind", "");
        List<PrometheusText.Sample> buckets =
            metrics.of("millrace_request_seconds_bucket", "node", node, "kind", kind);
        assertThat(buckets).isSortedAccordingTo((a, b) -> Double.compare(a.value(), b.value()));
        assertThat(buckets.getLast().labels()).containsEntry("le", "+Inf");
        assertThat(buckets.getLast().value()).isEqualTo(count.value());
      }
      assertThat(metrics.of("millrace_request_seconds_count", "kind", "flush")).isNotEmpty();
    }
  }

  @Test
  void whatIsNoMetricsTextIsRefused() {
    for (String bad :
        List.of(
            "millrace_up 1",
            "millrace_up 1\n",
            "# TYPE a gauge\na{x=\"1} 2\n",
            "# TYPE a gauge\na{x=\"1\",x=\"2\"} 2\n",
            "# TYPE a gauge\na one\n",
            "# TYPE a gauge\n# TYPE a gauge\n")) {
      assertThatThrownBy(() -> PrometheusText.parse(bad))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(PrometheusText.parse("# TYPE a gauge\na{x=\"1\\\"\"} +Inf\n").samples()).hasSize(1);
  }

  @Test
  void filesAreShownWithTheirStrandsAndCopies() throws IOException {
    try (LiveCluster cluster = new LiveCluster(folder.resolve("c"), 3);
        ClusterView view = cluster.view()) {
      cluster.put("single", 300_000, OpenOptions.create());
      cluster.put("double", 300_000, OpenOptions.create().withCopies(2));
      assertThat(Json.of(view.files("", "")))
          .contains("\"name\": \"single\"", "\"size\": 300000", "\"more\": false");
      assertThat(Json.of(view.files("", "double"))).doesNotContain("\"name\": \"double\"");
      assertThat(Json.of(view.file("single"))).contains("\"copies\": 1", "\"strandCount\": 3");
      String copied = Json.of(view.file("double"));
      assertThat(copied).contains("\"copies\": 2", "\"missing\": 0", "\"inSync\": [");
      assertThat(view.change(new ConsoleChange.Remove("single"))).contains("single is removed");
      assertThat(Json.of(view.files("", ""))).doesNotContain("single");
      assertThatThrownBy(() -> view.file("single")).isInstanceOf(MillraceException.class);
      assertThatThrownBy(() -> view.change(new ConsoleChange.Drain(7)))
          .isInstanceOf(MillraceException.class);
      assertThat(view.change(new ConsoleChange.Scrub())).contains("3 nodes scrub");
    }
  }

  @Test
  void aLostNodeIsAProblemAndTheClusterIsNotReady() throws IOException {
    try (LiveCluster cluster = new LiveCluster(folder.resolve("c"), 2);
        ClusterView view = cluster.view()) {
      assertThat(view.isReady()).isTrue();
      assertThat(state(view)).contains("\"ready\": true", "\"problems\": []", "\"rates\": [");
      cluster.stopNode(1);
      Eventually.holds("node 1 is missed", () -> !view.isReady());
      assertThat(state(view)).contains("node 1 is ");
      assertThat(PrometheusText.parse(view.metrics()).value("millrace_node_up", "node", "1"))
          .isZero();
    }
  }

  @Test
  void aRestartedCoordinatorIsFoundAgain() throws IOException {
    try (LiveCluster cluster = new LiveCluster(folder.resolve("c"), 1);
        ClusterView view = cluster.view()) {
      assertThat(view.isReady()).isTrue();
      cluster.restartCoordinator(1);
      Eventually.holds("the coordinator is found again", view::isReady);
      assertThat(state(view)).contains("\"silence\": \"\"");
    }
  }
}
