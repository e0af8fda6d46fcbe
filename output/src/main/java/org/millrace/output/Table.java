package org.millrace.output;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows of cells under headings. As text, columns are as wide as their longest cell; on a {@link
 * Page} cells may hold drawings. A table that is printed row by row, as rows come, is made of
 * {@link Columns} alone. Used by one thread.
 */
public final class Table {

  // constant after construction
  private final Columns columns;

  private final List<Object[]> rows = new ArrayList<>();

  /** No rows yet, in columns with headings as {@link Columns} has them. */
  public Table(String... headings) {
    this.columns = new Columns(headings);
  }

  /** Adds a row: a cell for each column. */
  public Table row(Object... cells) {
    rows.add(columns.requireRow(cells));
    return this;
  }

  /** Whether there is nothing but headings. */
  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** All lines, headings first. */
  public List<String> lines() {
    Columns wide = columns.widerFor(rows);
    List<String> lines = new ArrayList<>(wide.headingLines());
    rows.forEach(row -> lines.add(wide.line(row)));
    return lines;
  }

  /** All lines, each with its end. */
  public String text() {
    StringBuilder text = new StringBuilder();
    lines().forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  /** As a part of a page. */
  String html() {
    return columns.html(rows);
  }
}
