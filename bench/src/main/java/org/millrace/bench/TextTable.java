package org.millrace.bench;

import java.util.Locale;

/**
 * Rows as lines of text with columns of fixed width, so that each can be printed when it is there.
 */
public final class TextTable {

  private static final String LINE = "%-11s %-42s %11s %11s %7s %12s  %s";

  private TextTable() {}

  /** The heading. */
  public static String heading() {
    return LINE.formatted("benchmark", "what", "measured", "limit", "ratio", "target", "verdict");
  }

  /** One row; its note follows the verdict. */
  public static String line(Row row) {
    String value = row.value().isPresent() ? row.unit().format(row.value().getAsDouble()) : "-";
    String limit = row.limit().isPresent() ? row.unit().format(row.limit().getAsDouble()) : "-";
    String ratio = row.ratio().isPresent() ? ratio(row.ratio().getAsDouble()) : "-";
    String target = row.target().format(row.unit());
    String verdict = row.verdict().word() + (row.note().isEmpty() ? "" : "  (" + row.note() + ")");
    return LINE.formatted(row.benchmark(), row.what(), value, limit, ratio, target, verdict);
  }

  private static String ratio(double ratio) {
    return String.format(Locale.ROOT, ratio < 10 ? "%.2f" : "%.1f", ratio);
  }
}
