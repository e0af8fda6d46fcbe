package org.millrace.bench.report;

import java.util.List;
import java.util.Locale;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.papers.ColumbusBenchmark;
import org.millrace.bench.papers.ColumbusResult;
import org.millrace.output.Bars;
import org.millrace.output.Json;
import org.millrace.output.Page;
import org.millrace.output.Paint;

/** The results of {@link ColumbusBenchmark} as JSON and as a page. No state. */
public final class ColumbusReport {

  private static final int LEFT = 170;
  private static final int WIDTH = 400;
  private static final int RIGHT = 170;

  private ColumbusReport() {}

  /** One object with the machine and both ways. */
  public static String json(Machine machine, List<ColumbusResult> results) {
    return Json.of(
            Json.object(
                "machine", machine, "ways", results.stream().map(ColumbusReport::json).toList()))
        + "\n";
  }

  private static Object json(ColumbusResult one) {
    return Json.object(
        "way", one.way(),
        "updates", one.updates(),
        "nanos", one.nanos(),
        "readBytes", one.readBytes(),
        "readNanos", one.readNanos(),
        "writtenBytes", one.writtenBytes(),
        "writeNanos", one.writeNanos(),
        "lockNanos", one.lockNanos(),
        "updatesPerSecond", Json.rounded(one.updatesPerSecond(), 1));
  }

  /** A bar of updates in a second for each way, and the table. */
  public static String page(Machine machine, List<ColumbusResult> results) {
    double most = results.stream().mapToDouble(ColumbusResult::updatesPerSecond).max().orElse(1);
    Bars bars = new Bars(Bars.scale(most), LEFT, WIDTH, RIGHT);
    for (ColumbusResult one : results) {
      double rate = one.updatesPerSecond();
      String words = String.format(Locale.ROOT, "%.0f updates a second", rate);
      bars.bar(one.way(), words, new Bars.Part(rate, Paint.fill(2)));
    }
    return new Page("millrace bench columbus")
        .paragraph(machine.words() + ".")
        .figure("", bars.draw())
        .text(ColumbusResult.table1(results) + "\n\n" + ColumbusResult.table(results))
        .html();
  }
}
