package org.millrace.bench.report;

import java.util.Locale;
import org.millrace.bench.measure.Row;
import org.millrace.output.Columns;

/** Rows as lines of text, so that each can be printed when it is there. No state. */
public final class TextTable {

  private static final Columns COLUMNS =
      new Columns("benchmark", "what", ">measured", ">limit", ">ratio", ">target", "verdict")
          .withWidths(10, 42, 10, 10, 6, 11);

  private TextTable() {}

  /** The heading. */
  public static String heading() {
    return COLUMNS.heading();
  }

  /** One row; its note follows the verdict. */
  public static String line(Row row) {
    return COLUMNS.line(
        row.benchmark(),
        row.what(),
        row.value().isPresent() ? row.unit().format(row.value().getAsDouble()) : "-",
        row.limit().isPresent() ? row.unit().format(row.limit().getAsDouble()) : "-",
        row.ratio().isPresent() ? ratio(row.ratio().getAsDouble()) : "-",
        row.target().format(row.unit()),
        row.verdict().word() + (row.note().isEmpty() ? "" : "  (" + row.note() + ")"));
  }

  private static String ratio(double ratio) {
    return String.format(Locale.ROOT, ratio < 10 ? "%.2f" : "%.1f", ratio);
  }
}
