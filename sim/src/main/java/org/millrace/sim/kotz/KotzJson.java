package org.millrace.sim.kotz;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.output.Json;

/** Outcomes as JSON. */
public final class KotzJson {

  private KotzJson() {}

  /** All outcomes of a seed; shares are between 0 and 1. */
  public static String of(long seed, List<Outcome> outcomes) {
    return Json.of(Json.object("seed", seed, "rows", outcomes.stream().map(KotzJson::row).toList()))
        + "\n";
  }

  private static Object row(Outcome one) {
    Map<String, @Nullable Object> row =
        Json.object(
            "hardware", one.hardware(),
            "pattern", one.pattern().name(),
            "system", one.system().words(),
            "bytes", one.bytes(),
            "seconds", Json.rounded(one.seconds(), 6),
            "megabytesPerSecond", Json.rounded(one.megabytesPerSecond(), 3),
            "free", Json.rounded(one.free(), 4),
            "freeWithBarriers", Json.rounded(one.freeWithBarriers(), 4),
            "computed", Json.rounded(one.computed(), 4),
            "computedWithBarriers", Json.rounded(one.computedWithBarriers(), 4),
            "interruptions", one.interruptions(),
            "messages", one.messages(),
            "reads", one.reads(),
            "writes", one.writes(),
            "busy", busy(one.shares()),
            "traceHash", "%016x".formatted(one.traceHash()));
    Paper.of(one).ifPresent(paper -> row.put("paper", paper(paper)));
    return row;
  }

  private static Object busy(Shares shares) {
    return Json.object(
        "nodes", Json.rounded(shares.nodes(), 4),
        "ranks", Json.rounded(shares.ranks(), 4),
        "disks", Json.rounded(shares.disks(), 4),
        "buses", Json.rounded(shares.buses(), 4),
        "busiestLink", Json.rounded(shares.link(), 4),
        "nodesTogether", shares.together().stream().map(one -> Json.rounded(one, 4)).toList(),
        "quietAtEnd", Json.rounded(shares.quietAtEnd(), 4));
  }

  private static Object paper(Paper.Numbers paper) {
    return Json.object(
        "free", Json.rounded(paper.free() / 100, 3),
        "megabytesPerSecond", Json.rounded(paper.megabytes(), 1),
        "freeWithBarriers", Json.rounded(paper.barriers() / 100, 3));
  }
}
