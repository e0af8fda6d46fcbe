package org.millrace.bench.report;

import java.util.ArrayList;
import java.util.List;
import org.millrace.bench.measure.Busy;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.papers.SharingBenchmark;
import org.millrace.bench.papers.SharingResult;
import org.millrace.bench.papers.SharingStream;
import org.millrace.output.Bars;
import org.millrace.output.Json;
import org.millrace.output.Page;
import org.millrace.output.Paint;
import org.millrace.output.Svg;

/** What {@link SharingBenchmark} measured as JSON and as a page. No state. */
public final class SharingReport {

  private static final int LEFT = 140;
  private static final int WIDTH = 400;
  private static final int RIGHT = 60;

  private SharingReport() {}

  /** One object with the machine, and a row for each stream and who serves it. */
  public static String json(Machine machine, SharingResult result) {
    List<Object> rows = new ArrayList<>();
    for (SharingResult.Row row : result.rows()) {
      rows.add(run(row, "computing", row.shared(), row.efficiencyToControl()));
      rows.add(run(row, "idle", row.control(), 1));
    }
    return Json.of(
            Json.object(
                "machine", machine,
                "ranks", result.ranks(),
                "bound", result.bound(),
                "iterations", result.iterations(),
                "aloneSeconds", Json.rounded(result.aloneSeconds(), 3),
                "paperAloneSeconds", Json.rounded(SharingStream.PAPER_ALONE_SECONDS, 1),
                "rows", rows))
        + "\n";
  }

  private static Object run(
      SharingResult.Row row, String server, SharingResult.Run run, double toControl) {
    return Json.object(
        "stream", row.stream().label(),
        "server", server,
        "seconds", Json.rounded(run.seconds(), 3),
        "efficiency", Json.rounded(run.efficiency(), 3),
        "efficiencyToControl", Json.rounded(toControl, 3),
        "requestsPerSecond", Json.rounded(run.requestsPerSecond(), 0),
        "servingCores", Json.rounded(run.servingCores(), 3),
        "clientCores", Json.rounded(run.clientCores(), 3),
        "paperSeconds", Json.rounded(row.stream().paperSeconds(), 1),
        "paperEfficiency", Json.rounded(row.stream().paperEfficiency(), 3));
  }

  /** The page: bars of efficiency for each stream, and the table. */
  public static String page(Machine machine, SharingResult result) {
    Page page =
        new Page("millrace bench sharing")
            .paragraph(
                "%s. What is left of a computation's speed on %s nodes, with a barrier after each"
                        .formatted(machine.words(), result.ranks())
                    + " iteration, while one of them serves a stream of 1 KB requests; beside it"
                    + " the same stream served by a node that does not compute, and table 4 of the"
                    + " paper.")
            .paragraph(result.caution(machine.processors()));
    for (SharingResult.Row row : result.rows()) {
      page.figure(row.stream().label(), chart(row));
    }
    return page.text(result.table()).html();
  }

  private static Svg chart(SharingResult.Row row) {
    Bars bars = new Bars(Bars.scale(1), LEFT, WIDTH, RIGHT);
    bar(bars, 0, "a node that computes", row.shared().efficiency());
    bar(bars, 6, "a node of its own", row.control().efficiency());
    bar(bars, 3, "the paper, NFS", row.stream().paperEfficiency());
    return bars.draw();
  }

  /** Noise may make the computation quicker beside a stream than alone; the bar ends at 1. */
  private static void bar(Bars bars, int colour, String label, double share) {
    bars.bar(label, Busy.percent(share), new Bars.Part(share, Paint.fill(colour)));
  }
}
