package org.millrace.bench;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The results of {@link ColumbusBenchmark} as JSON and as a page. No state. */
public final class ColumbusReport {

  private static final int WIDTH = 400;

  private ColumbusReport() {}

  /** One object with the machine and both ways. */
  public static String json(Machine machine, List<ColumbusResult> results) {
    String ways = results.stream().map(ColumbusResult::json).collect(Collectors.joining(",\n    "));
    return """
        {
          "machine": %s,
          "ways": [
            %s
          ]
        }
        """
        .formatted(JsonReport.machine(machine), ways);
  }

  /** A bar of updates in a second for each way, and the table. */
  public static String page(Machine machine, List<ColumbusResult> results) {
    double most = results.stream().mapToDouble(ColumbusResult::updatesPerSecond).max().orElse(1);
    String bars =
        results.stream()
            .map(
                one ->
                    String.format(
                        Locale.ROOT,
                        "<p>%s: %.0f updates a second<br><svg width=\"%d\" height=\"14\">"
                            + "<rect width=\"%.1f\" height=\"14\" fill=\"#3a8f5c\"/></svg></p>%n",
                        HtmlReport.escape(one.way()),
                        one.updatesPerSecond(),
                        WIDTH,
                        WIDTH * one.updatesPerSecond() / most))
            .collect(Collectors.joining());
    return """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"/><title>millrace bench columbus</title>
        <style>body { font: 14px sans-serif; margin: 2em; color: #222; }</style></head><body>
        <h1>millrace bench columbus</h1>
        <p>%s, %d processors, Java %s, %s.</p>
        %s<pre>%s</pre>
        </body></html>
        """
        .formatted(
            HtmlReport.escape(machine.system()),
            machine.processors(),
            HtmlReport.escape(machine.java()),
            HtmlReport.escape(machine.when()),
            bars,
            HtmlReport.escape(
                ColumbusResult.table1(results) + "\n\n" + ColumbusResult.table(results)));
  }
}
