package org.millrace.sim.scale;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Outcomes as JSON. */
public final class ScaleJson {

  private ScaleJson() {}

  /** All outcomes of a seed; shares are between 0 and 1. */
  public static String of(long seed, List<ScaleOutcome> outcomes) {
    return outcomes.stream()
        .map(ScaleJson::row)
        .collect(Collectors.joining(",\n", "{\"seed\": " + seed + ", \"rows\": [\n", "\n]}\n"));
  }

  private static String row(ScaleOutcome one) {
    String busy =
        one.busy().entrySet().stream()
            .map(
                each ->
                    String.format(
                        Locale.ROOT,
                        "\"%s\": %.4f",
                        each.getKey().name().toLowerCase(Locale.ROOT),
                        each.getValue()))
            .collect(Collectors.joining(", "));
    return String.format(
            Locale.ROOT,
            "  {\"task\": \"%s\", \"strategy\": \"%s\", \"nodes\": %d, \"bytes\": %d,"
                + " \"seconds\": %.9f, \"free\": %.4f, \"messages\": %d,"
                + " \"coordinatorMessages\": %d, \"networkBytes\": %d,",
            one.what().task(),
            one.what().strategy().word(),
            one.what().nodes(),
            one.what().bytes(),
            one.seconds(),
            one.free(),
            one.messages(),
            one.coordinatorMessages(),
            one.networkBytes())
        + String.format(
            Locale.ROOT,
            " \"transfers\": %d, \"nodeBytes\": %d, \"rankBytes\": %d, \"limit\": \"%s\","
                + " \"busy\": {%s}, \"traceHash\": \"%016x\"}",
            one.transfers(),
            one.nodeBytes(),
            one.rankBytes(),
            one.limit(),
            busy,
            one.traceHash());
  }
}
