package org.millrace.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.measure.Row;
import org.millrace.output.Bars;
import org.millrace.output.Page;
import org.millrace.output.Paint;
import org.millrace.output.Table;

/** Rows as one page: a bar for each, as long as it reaches its target. No state. */
public final class HtmlReport {

  private static final int WIDTH = 240;

  /** Bars end here; the target is a line at 1. */
  private static final double MOST = 2;

  private HtmlReport() {}

  /** The page. */
  public static String of(Machine machine, List<Row> rows) {
    return of("millrace bench micro", machine, rows);
  }

  /** The page of another benchmark. */
  public static String of(String title, Machine machine, List<Row> rows) {
    Table table =
        new Table(
            "benchmark", "what", ">measured", ">limit", ">ratio", ">target", "reached", "", "note");
    for (Row row : rows) {
      table.row(
          row.benchmark(),
          row.what(),
          number(row, row.value()),
          number(row, row.limit()),
          ratio(row),
          row.target().format(row.unit()),
          bar(row),
          row.verdict().word(),
          row.note());
    }
    return new Page(title)
        .paragraph(machine.words() + ". The line is the target.")
        .table(table)
        .html();
  }

  /** A number of a row in its unit; nothing if it has none. */
  static String number(Row row, OptionalDouble number) {
    return number.isPresent() ? row.unit().format(number.getAsDouble()) : "";
  }

  /** A row's ratio; nothing if it has none. */
  static String ratio(Row row) {
    return row.ratio().isPresent()
        ? String.format(Locale.ROOT, "%.2f", row.ratio().getAsDouble())
        : "";
  }

  private static Object bar(Row row) {
    if (row.reached().isEmpty()) {
      return "";
    }
    Paint paint =
        switch (row.verdict()) {
          case OK -> Paint.GOOD;
          case BELOW, ABOVE -> Paint.BAD;
          case INFO, SKIPPED -> Paint.PLAIN;
        };
    return Bars.cell(row.reached().getAsDouble(), MOST, WIDTH, paint, 1);
  }
}
