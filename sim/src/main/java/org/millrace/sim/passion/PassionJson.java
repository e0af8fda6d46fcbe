package org.millrace.sim.passion;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.output.Json;

/** Outcomes as JSON. */
public final class PassionJson {

  private PassionJson() {}

  /** All outcomes of a seed. */
  public static String of(long seed, List<Outcome> outcomes) {
    return Json.of(
            Json.object("seed", seed, "rows", outcomes.stream().map(PassionJson::row).toList()))
        + "\n";
  }

  private static Object row(Outcome one) {
    Map<String, @Nullable Object> row =
        Json.object(
            "workload", one.workload().name(),
            "processors", one.workload().ranks(),
            "extent", one.workload().extent(),
            "method", one.method().words(),
            "seconds", Json.rounded(one.seconds(), 6));
    double paper = one.workload().paper(one.method());
    if (paper > 0) {
      row.put("paperSeconds", Json.rounded(paper, 3));
    }
    row.putAll(
        Json.object(
            "columnsRead", one.columns(),
            "wantedBytes", one.wantedBytes(),
            "diskBytes", one.diskBytes(),
            "diskReads", one.reads(),
            "messages", one.messages(),
            "diskShare", Json.rounded(one.diskShare(), 4),
            "traceHash", "%016x".formatted(one.traceHash())));
    return row;
  }
}
