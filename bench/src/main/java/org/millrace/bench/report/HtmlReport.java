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

/** Rows as one page: a bar for each, by how many times it is as good as its target. No state. */
public final class HtmlReport {

  private static final int WIDTH = 240;

  /** Bars show at least and at most this many times the target. */
  private static final double LEAST_SCALE = 2;

  private static final double MOST_SCALE = 64;

  private HtmlReport() {}

  /** The page of a benchmark. */
  public static String of(String title, Machine machine, List<Row> rows) {
    double most = scale(rows);
    Table table =
        new Table(
            "benchmark",
            "what",
            ">measured",
            ">limit",
            ">ratio",
            ">target",
            "worse | better than the target",
            "",
            "note");
    for (Row row : rows) {
      table.row(
          row.benchmark(),
          row.what(),
          number(row, row.value()),
          number(row, row.limit()),
          ratio(row),
          row.target().format(row.unit()),
          bar(row, most),
          row.verdict().word(),
          row.note());
    }
    return new Page(title)
        .paragraph(machine.words() + ".")
        .paragraph(
            "Bars begin at the target: those to the right are better, those to the left worse,"
                + " whether large or small numbers are good. Each thin line is a factor of two; the"
                + " scale ends at "
                + Math.round(most)
                + " times, and an arrow goes beyond it.")
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

  /** The power of two that holds all rows, if there is a small one. */
  private static double scale(List<Row> rows) {
    double most = LEAST_SCALE;
    for (Row row : rows) {
      double factor = row.reached().orElse(1);
      double larger = factor > 1 ? factor : 1 / Math.max(factor, 1 / MOST_SCALE);
      while (most < larger && most < MOST_SCALE) {
        most *= 2;
      }
    }
    return most;
  }

  private static Object bar(Row row, double most) {
    if (row.reached().isEmpty()) {
      return "";
    }
    Paint paint =
        switch (row.verdict()) {
          case OK -> Paint.GOOD;
          case BELOW, ABOVE -> Paint.BAD;
          case INFO, SKIPPED -> Paint.PLAIN;
        };
    double factor = row.reached().getAsDouble();
    String title = String.format(Locale.ROOT, "%.2f times as good as the target", factor);
    return Bars.factor(factor, most, WIDTH, paint, title);
  }
}
