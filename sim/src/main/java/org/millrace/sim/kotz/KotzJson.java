package org.millrace.sim.kotz;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Outcomes as JSON. */
public final class KotzJson {

  private KotzJson() {}

  /** All outcomes of a seed; shares are between 0 and 1. */
  public static String of(long seed, List<Outcome> outcomes) {
    return outcomes.stream()
        .map(KotzJson::row)
        .collect(Collectors.joining(",\n", "{\"seed\": " + seed + ", \"rows\": [\n", "\n]}\n"));
  }

  private static String row(Outcome one) {
    return String.format(
            Locale.ROOT,
            "  {\"hardware\": \"%s\", \"pattern\": \"%s\", \"system\": \"%s\", \"bytes\": %d,"
                + " \"seconds\": %.6f,"
                + " \"megabytesPerSecond\": %.3f, \"free\": %.4f, \"freeWithBarriers\": %.4f,"
                + " \"computed\": %.4f, \"computedWithBarriers\": %.4f,",
            one.hardware(),
            one.pattern().name(),
            one.system().words(),
            one.bytes(),
            one.seconds(),
            one.megabytesPerSecond(),
            one.free(),
            one.freeWithBarriers(),
            one.computed(),
            one.computedWithBarriers())
        + String.format(
            Locale.ROOT,
            " \"interruptions\": %d, \"messages\": %d, \"reads\": %d, \"writes\": %d, %s,"
                + " \"traceHash\": \"%016x\"%s}",
            one.interruptions(),
            one.messages(),
            one.reads(),
            one.writes(),
            busy(one.shares()),
            one.traceHash(),
            paper(one));
  }

  private static String busy(Shares shares) {
    String together =
        shares.together().stream()
            .map(share -> String.format(Locale.ROOT, "%.4f", share))
            .collect(Collectors.joining(", ", "[", "]"));
    return String.format(
        Locale.ROOT,
        "\"busy\": {\"nodes\": %.4f, \"ranks\": %.4f, \"disks\": %.4f, \"buses\": %.4f,"
            + " \"busiestLink\": %.4f, \"nodesTogether\": %s, \"quietAtEnd\": %.4f}",
        shares.nodes(),
        shares.ranks(),
        shares.disks(),
        shares.buses(),
        shares.link(),
        together,
        shares.quietAtEnd());
  }

  private static String paper(Outcome one) {
    return Paper.of(one)
        .map(
            paper ->
                String.format(
                    Locale.ROOT,
                    ", \"paper\": {\"free\": %.3f, \"megabytesPerSecond\": %.1f,"
                        + " \"freeWithBarriers\": %.3f}",
                    paper.free() / 100,
                    paper.megabytes(),
                    paper.barriers() / 100))
        .orElse("");
  }
}
