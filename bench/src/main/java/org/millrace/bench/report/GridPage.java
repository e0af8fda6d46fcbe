package org.millrace.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.millrace.bench.grid.Cell;
import org.millrace.bench.grid.GridRow;
import org.millrace.bench.grid.StrategyGrid;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.measure.Row;
import org.millrace.output.Axis;
import org.millrace.output.Bars;
import org.millrace.output.Page;
import org.millrace.output.Paint;
import org.millrace.output.Svg;
import org.millrace.output.Table;

/**
 * A grid as one page: a chart for each workload, with the methods side by side as shares of the
 * limit, which is a line. No state.
 */
public final class GridPage {

  private static final int LABEL = 150;
  private static final int WIDTH = 300;
  private static final int NUMBER = 90;

  /** Bars end between these at the longest; the limit is a line at 1. */
  private static final double LEAST = 1.25;

  private static final double MOST = 4;

  private GridPage() {}

  /** The page. */
  public static String of(String title, Machine machine, StrategyGrid.Result result) {
    Page page = page(title, machine, List.of(GridTable.summary(result)), result.rows());
    if (!result.cold().isEmpty()) {
      page.heading("Cold reading").table(cold(result.cold()));
    }
    return page.html();
  }

  /**
   * A page of charts, to which more can be added.
   *
   * @param said sentences to stand above them, without their full stops
   */
  static Page page(String title, Machine machine, List<String> said, List<GridRow> rows) {
    Page page = new Page(title).paragraph(machine.words() + ".");
    said.forEach(one -> page.paragraph(one + "."));
    page.paragraph(
        "Longer is better: each bar is the rate of a method as a share of the limit, the solid"
            + " line; the dashed line is the target of auto. Numbers are milliseconds of one"
            + " collective call of all ranks. Pale bars were scaled from a part, or cut off and"
            + " would be shorter; those with an arrow are longer.");
    Axis axis = Bars.scale(longest(rows));
    Map<String, List<GridRow>> charts = new LinkedHashMap<>();
    for (GridRow row : rows) {
      charts.computeIfAbsent(row.workload(), name -> new ArrayList<>()).add(row);
    }
    charts.forEach((name, own) -> page.figure(name, chart(axis, own)));
    return page;
  }

  /** One for all charts of the page, so that they can be compared. */
  private static double longest(List<GridRow> rows) {
    double most =
        rows.stream()
            .flatMap(row -> row.cells().stream().map(cell -> share(row, cell)))
            .mapToDouble(Double::doubleValue)
            .max()
            .orElse(LEAST);
    return Math.clamp(most, LEAST, MOST);
  }

  private static double share(GridRow row, Cell cell) {
    return row.cell("limit").orElseThrow().nanos() / cell.nanos();
  }

  private static Svg chart(Axis axis, List<GridRow> rows) {
    Bars bars = new Bars(axis, LABEL, WIDTH, NUMBER);
    for (GridRow row : rows) {
      Cell limit = row.cell("limit").orElseThrow();
      bars.group(
          String.format(
              Locale.ROOT,
              "%s, %s ranks: limit %s ms, auto %.2f of it",
              row.op(),
              row.ranks(),
              GridTable.text(limit),
              row.ratio()));
      for (Cell cell : row.cells()) {
        if (!cell.method().equals("limit")) {
          var part = new Bars.Part(share(row, cell), paint(row, cell));
          bars.bar(cell.method(), GridTable.text(cell), part);
        }
      }
      bars.line(GridRow.TARGET, Paint.TARGET).line(1, Paint.LIMIT);
    }
    return bars.draw();
  }

  private static Paint paint(GridRow row, Cell cell) {
    Paint paint =
        !cell.method().equals("auto") ? Paint.PLAIN : row.reachesTarget() ? Paint.GOOD : Paint.BAD;
    return cell.isMeasured() ? paint : Paint.PLAIN.pale();
  }

  private static Table cold(List<Row> rows) {
    Table table = new Table("what", ">measured", ">one thread, sequential", ">ratio", "");
    for (Row row : rows) {
      table.row(
          row.what(),
          HtmlReport.number(row, row.value()),
          HtmlReport.number(row, row.limit()),
          HtmlReport.ratio(row),
          row.verdict().word());
    }
    return table;
  }
}
