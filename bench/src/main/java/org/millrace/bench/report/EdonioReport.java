package org.millrace.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.papers.EdonioBenchmark;
import org.millrace.bench.papers.EdonioPaper;
import org.millrace.bench.papers.EdonioTable;
import org.millrace.heritage.fem.Phases;
import org.millrace.output.Bars;
import org.millrace.output.Chart;
import org.millrace.output.Json;
import org.millrace.output.Page;
import org.millrace.output.Paint;
import org.millrace.output.Svg;

/** The tables of {@link EdonioBenchmark} as JSON and as a page. No state. */
public final class EdonioReport {

  private static final int LEFT = 190;
  private static final int WIDTH = 560;
  private static final int RIGHT = 70;

  private EdonioReport() {}

  /** One object with the machine and all lines; phases are seconds. */
  public static String json(Machine machine, List<EdonioTable> tables) {
    List<Object> lines = new ArrayList<>();
    for (EdonioTable table : tables) {
      for (EdonioTable.Row row : table.rows()) {
        row.lines().forEach(line -> lines.add(json(table, row, line)));
      }
    }
    return Json.of(
            Json.object(
                "machine", machine,
                "pageCacheDropped", EdonioBenchmark.dropsPages(),
                "lines", lines))
        + "\n";
  }

  private static Object json(EdonioTable table, EdonioTable.Row row, EdonioTable.Line line) {
    Map<String, @Nullable Object> members =
        Json.object(
            "table", table.name(), "key", table.key(), "row", row.label(), "way", line.way());
    for (int i = 0; i < Phases.NAMES.size(); i++) {
      members.put(Phases.NAMES.get(i), Json.rounded(line.phases().seconds().get(i), 6));
    }
    members.put("writeGain", Json.rounded(line.writeGain(), 3));
    members.put("readGain", Json.rounded(line.readGain(), 3));
    return members;
  }

  /** The page: a bar of phases for each line, and the tables. */
  public static String page(Machine machine, List<EdonioTable> tables) {
    Page page =
        new Page("millrace bench edonio")
            .paragraph(
                "%s; the page cache was %s before files were read."
                    .formatted(
                        machine.words(), EdonioBenchmark.dropsPages() ? "dropped" : "not dropped"))
            .paragraph(
                "Bars are seconds of the phases; the report's of 1995 are only in the tables."
                    + " \"writing\" and \"reading\" say how many times as long a plain file"
                    + " takes.")
            .figure("", Chart.legend(phases(), LEFT + WIDTH + RIGHT));
    for (EdonioTable table : tables) {
      page.heading("Table " + table.name() + ": " + table.title());
      page.figure("", chart(table)).text(table.text());
    }
    return page.html();
  }

  private static List<Chart.Series> phases() {
    List<Chart.Series> phases = new ArrayList<>();
    for (int i = 0; i < Phases.NAMES.size(); i++) {
      phases.add(new Chart.Series(Phases.NAMES.get(i), i, Chart.Mark.SQUARE, List.of()));
    }
    return phases;
  }

  private static boolean isMeasured(EdonioTable.Line line) {
    return !line.way().equals(EdonioPaper.EDONIO) && !line.way().equals(EdonioPaper.NX);
  }

  private static Svg chart(EdonioTable table) {
    double most =
        table.rows().stream()
            .flatMap(row -> row.lines().stream())
            .filter(EdonioReport::isMeasured)
            .mapToDouble(line -> line.phases().total())
            .max()
            .orElse(1);
    Bars bars = new Bars(Bars.scale(most), LEFT, WIDTH, RIGHT);
    for (EdonioTable.Row row : table.rows()) {
      bars.group("");
      for (EdonioTable.Line line : row.lines()) {
        if (isMeasured(line)) {
          String label = "%s %s, %s".formatted(table.key(), row.label(), line.way());
          String words = String.format(Locale.ROOT, "%.2f s", line.phases().total());
          bars.bar(label, words, parts(line));
        }
      }
    }
    return bars.draw();
  }

  private static Bars.Part[] parts(EdonioTable.Line line) {
    List<Double> seconds = line.phases().seconds();
    return IntStream.range(0, seconds.size())
        .mapToObj(i -> new Bars.Part(seconds.get(i), Paint.fill(i)))
        .toArray(Bars.Part[]::new);
  }
}
