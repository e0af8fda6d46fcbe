package org.millrace.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Prometheus's text, to the letter. */
final class ExpositionTest {

  @Test
  void familiesHaveHelpTypeAndEscapedLabels() {
    String text =
        new Exposition()
            .gauge("a_bytes", "Bytes\\ of\nall.")
            .value(1.5)
            .value(3, "path", "x\"y\\z\n")
            .counter("b_total", "B.")
            .value(1e12, "node", 1, "kind", "get")
            .text();
    assertThat(text)
        .isEqualTo(
            """
            # HELP a_bytes Bytes\\\\ of\\nall.
            # TYPE a_bytes gauge
            a_bytes 1.5
            a_bytes{path="x\\"y\\\\z\\n"} 3
            # HELP b_total B.
            # TYPE b_total counter
            b_total{node="1",kind="get"} 1000000000000
            """);
  }

  @Test
  void numbersAreWrittenAsPrometheusReadsThem() {
    assertThat(Exposition.shown(Double.POSITIVE_INFINITY)).isEqualTo("+Inf");
    assertThat(Exposition.shown(0)).isEqualTo("0");
    assertThat(Double.parseDouble(Exposition.shown(1.024e-6))).isEqualTo(1.024e-6);
  }

  @Test
  void wrongUseIsRefused() {
    assertThatThrownBy(() -> new Exposition().value(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new Exposition().gauge("a b", ""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
