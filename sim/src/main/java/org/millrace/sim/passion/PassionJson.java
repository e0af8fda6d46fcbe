package org.millrace.sim.passion;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Outcomes as JSON. */
public final class PassionJson {

  private PassionJson() {}

  /** All outcomes of a seed. */
  public static String of(long seed, List<Outcome> outcomes) {
    return outcomes.stream()
        .map(PassionJson::row)
        .collect(Collectors.joining(",\n", "{\"seed\": " + seed + ", \"rows\": [\n", "\n]}\n"));
  }

  private static String row(Outcome one) {
    double paper = one.workload().paper(one.method());
    return String.format(
        Locale.ROOT,
        "  {\"workload\": \"%s\", \"processors\": %d, \"extent\": %d, \"method\": \"%s\","
            + " \"seconds\": %.6f, %s\"columnsRead\": %d, \"wantedBytes\": %d, \"diskBytes\": %d,"
            + " \"diskReads\": %d, \"messages\": %d, \"diskShare\": %.4f, \"traceHash\": \"%016x\"}",
        one.workload().name(),
        one.workload().ranks(),
        one.workload().extent(),
        one.method().words(),
        one.seconds(),
        paper > 0 ? String.format(Locale.ROOT, "\"paperSeconds\": %.3f, ", paper) : "",
        one.columns(),
        one.wantedBytes(),
        one.diskBytes(),
        one.reads(),
        one.messages(),
        one.diskShare(),
        one.traceHash());
  }
}
