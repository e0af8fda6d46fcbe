package org.millrace.sim.scale;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.millrace.output.Json;

/** Outcomes as JSON. */
public final class ScaleJson {

  private ScaleJson() {}

  /** All outcomes of a seed; shares are between 0 and 1. */
  public static String of(long seed, List<ScaleOutcome> outcomes) {
    return Json.of(
            Json.object("seed", seed, "rows", outcomes.stream().map(ScaleJson::row).toList()))
        + "\n";
  }

  private static Object row(ScaleOutcome one) {
    Map<String, Number> busy = new LinkedHashMap<>();
    one.busy()
        .forEach(
            (what, share) ->
                busy.put(what.name().toLowerCase(Locale.ROOT), Json.rounded(share, 4)));
    return Json.object(
        "task", one.what().task(),
        "strategy", one.what().strategy().word(),
        "nodes", one.what().nodes(),
        "bytes", one.what().bytes(),
        "seconds", Json.rounded(one.seconds(), 9),
        "free", Json.rounded(one.free(), 4),
        "messages", one.messages(),
        "coordinatorMessages", one.coordinatorMessages(),
        "networkBytes", one.networkBytes(),
        "transfers", one.transfers(),
        "nodeBytes", one.nodeBytes(),
        "rankBytes", one.rankBytes(),
        "limit", one.limit(),
        "busy", busy,
        "traceHash", "%016x".formatted(one.traceHash()));
  }
}
