package org.millrace.sim.passion;

import java.util.List;

/** Outcomes as one page that needs nothing else, and its two drawings. */
public final class PassionPage {

  private PassionPage() {}

  /** The page. */
  public static String of(long seed, List<Outcome> outcomes) {
    return """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>millrace sim passion</title>
        <style>body { font: 14px sans-serif; margin: 2em; color: #222; } pre { font-size: 12px; }</style>
        </head><body>
        <h1>millrace sim passion</h1>
        <p>Sections and distributions of an array in one file, read on a model of the Intel
        Touchstone Delta in simulated time. Hollow bars are the paper's seconds. Seed %d.</p>
        %s%s<pre>%s</pre>
        </body></html>
        """
        .formatted(seed, table1(outcomes), figure2(outcomes), PassionTables.of(outcomes));
  }

  /** Table 1 as a drawing. */
  public static String table1(List<Outcome> outcomes) {
    return Bars.of(
        "Table 1: common sections",
        outcomes.stream().filter(one -> one.workload() instanceof Workload.Common).toList());
  }

  /** Figure 2 as a drawing. */
  public static String figure2(List<Outcome> outcomes) {
    return Bars.of(
        "Figure 2: distributions of a whole array",
        outcomes.stream().filter(one -> one.workload() instanceof Workload.Distributed).toList());
  }
}
