package org.millrace.output;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The columns of a table. Lines of text can be made before all rows are known: columns are then as
 * wide as their headings and their least widths say. Immutable.
 */
public final class Columns {

  private static final String BETWEEN = "  ";

  private final String[] headings;
  private final boolean[] right;
  private final int[] widths;

  /**
   * Columns with these headings. One that begins with {@code >} stands to the right, as numbers do;
   * one with line feeds has several lines.
   */
  public Columns(String... headings) {
    this.headings = new String[headings.length];
    this.right = new boolean[headings.length];
    this.widths = new int[headings.length];
    for (int i = 0; i < headings.length; i++) {
      right[i] = headings[i].startsWith(">");
      this.headings[i] = right[i] ? headings[i].substring(1) : headings[i];
      widths[i] = this.headings[i].lines().mapToInt(String::length).max().orElse(0);
    }
  }

  private Columns(String[] headings, boolean[] right, int[] widths) {
    this.headings = headings;
    this.right = right;
    this.widths = widths;
  }

  /** The same with at least these widths of the first columns. */
  public Columns withWidths(int... least) {
    int[] wider = widths.clone();
    for (int i = 0; i < least.length; i++) {
      wider[i] = Math.max(wider[i], least[i]);
    }
    return new Columns(headings, right, wider);
  }

  /** The same, wide enough for these rows. */
  Columns widerFor(List<Object[]> rows) {
    int[] wider = widths.clone();
    for (Object[] row : rows) {
      for (int i = 0; i < wider.length; i++) {
        wider[i] = Math.max(wider[i], word(row[i]).length());
      }
    }
    return new Columns(headings, right, wider);
  }

  /** The cells, if there is one for each column. */
  Object[] requireRow(Object... cells) {
    if (cells.length != right.length) {
      throw new IllegalArgumentException(cells.length + " cells for " + right.length + " columns");
    }
    return cells;
  }

  /** The headings; several lines if one of them has several. */
  public String heading() {
    return String.join("\n", headingLines());
  }

  /** A row as a line of text. */
  public String line(Object... cells) {
    return aligned(Arrays.stream(requireRow(cells)).map(Columns::word).toArray(String[]::new));
  }

  /** Headings of fewer lines stand at the bottom. */
  List<String> headingLines() {
    int height = 1;
    for (String one : headings) {
      height = Math.max(height, one.split("\n", -1).length);
    }
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < height; i++) {
      String[] words = new String[headings.length];
      for (int column = 0; column < words.length; column++) {
        String[] parts = headings[column].split("\n", -1);
        int part = i - (height - parts.length);
        words[column] = part < 0 ? "" : parts[part];
      }
      lines.add(aligned(words));
    }
    return lines;
  }

  /** A cell without what would steer a terminal; a drawing has no words. */
  private static String word(Object cell) {
    return cell instanceof Svg ? "" : String.valueOf(cell).replaceAll("\\p{Cntrl}", "?");
  }

  private String aligned(String... words) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < words.length; i++) {
      String pad = " ".repeat(Math.max(0, widths[i] - words[i].length()));
      line.append(i == 0 ? "" : BETWEEN).append(right[i] ? pad + words[i] : words[i] + pad);
    }
    return line.toString().stripTrailing();
  }

  /** Rows as a part of a page. */
  String html(List<Object[]> rows) {
    StringBuilder html = new StringBuilder("<table>\n<tr>");
    for (int i = 0; i < headings.length; i++) {
      html.append(tag("th", i)).append(Svg.escaped(headings[i].replace('\n', ' '))).append("</th>");
    }
    html.append("</tr>\n");
    for (Object[] row : rows) {
      html.append("<tr>");
      for (int i = 0; i < row.length; i++) {
        html.append(tag("td", i))
            .append(row[i] instanceof Svg svg ? svg.inline() : Svg.escaped(word(row[i])))
            .append("</td>");
      }
      html.append("</tr>\n");
    }
    return html.append("</table>\n").toString();
  }

  private String tag(String name, int column) {
    return right[column] ? "<" + name + " class=\"n\">" : "<" + name + ">";
  }
}
