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
            "  {\"hardware\": \"%s\", \"pattern\": \"%s\", \"system\": \"%s\", \"seconds\": %.6f,"
                + " \"megabytesPerSecond\": %.3f, \"free\": %.4f, \"freeWithBarriers\": %.4f,"
                + " \"busy\": %.4f,",
            one.hardware(),
            one.pattern().name(),
            one.system().words(),
            one.seconds(),
            one.megabytesPerSecond(),
            one.free(),
            one.freeWithBarriers(),
            one.busy())
        + String.format(
            Locale.ROOT,
            " \"interruptions\": %d, \"messages\": %d, \"transfers\": %d, \"diskBusy\": %.4f,"
                + " \"traceHash\": \"%016x\"%s}",
            one.interruptions(),
            one.messages(),
            one.transfers(),
            one.diskBusy(),
            one.traceHash(),
            paper(one));
  }

  private static String paper(Outcome one) {
    if (!one.hardware().equals(Hardware.TABLE_1.name())) {
      return "";
    }
    return Paper.of(one.pattern(), one.system())
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
