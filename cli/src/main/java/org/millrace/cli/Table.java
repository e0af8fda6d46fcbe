package org.millrace.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows of words in columns as wide as their longest word; numbers stand to the right. Used by one
 * thread.
 */
final class Table {

  private final List<String[]> rows = new ArrayList<>();
  private final boolean[] right;

  /** Columns with these headings; one that begins with {@code >} stands to the right. */
  Table(String... headings) {
    right = new boolean[headings.length];
    String[] row = new String[headings.length];
    for (int i = 0; i < headings.length; i++) {
      right[i] = headings[i].startsWith(">");
      row[i] = right[i] ? headings[i].substring(1) : headings[i];
    }
    rows.add(row);
  }

  /** Adds a row: a word for each column. */
  Table row(Object... words) {
    if (words.length != right.length) {
      throw new IllegalArgumentException(words.length + " words for " + right.length + " columns");
    }
    String[] row = new String[words.length];
    for (int i = 0; i < words.length; i++) {
      row[i] = Shown.text(String.valueOf(words[i]));
    }
    rows.add(row);
    return this;
  }

  /** Whether there is nothing but headings. */
  boolean isEmpty() {
    return rows.size() == 1;
  }

  /** The lines, headings first. */
  List<String> lines() {
    int[] widths = new int[right.length];
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        String pad = " ".repeat(widths[i] - row[i].length());
        line.append(i == 0 ? "" : "  ").append(right[i] ? pad + row[i] : row[i] + pad);
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }
}
