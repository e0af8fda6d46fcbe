package org.millrace.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Tables as text and as parts of pages. */
final class TableTest {

  @Test
  void tablesLineUpAndHideWhatSteersTerminals() {
    Table table = new Table("name", ">size").row("a\033b", 5).row("long name", 12345);
    assertThat(table.lines())
        .containsExactly("name        size", "a?b            5", "long name  12345");
  }

  @Test
  void headingsOfSeveralLinesStandAtTheBottom() {
    Table table = new Table("", ">direct\npaper", ">here").row("a", 1, 2);
    assertThat(table.text()).isEqualTo("   direct\n    paper  here\na       1     2\n");
  }

  @Test
  void linesThatArePrintedOneByOneStandBelowTheirHeadings() {
    Columns columns = new Columns("what", ">how many", "note").withWidths(6, 3);
    assertThat(columns.heading()).isEqualTo("what    how many  note");
    assertThat(columns.line("x", 7, "y")).isEqualTo("x              7  y");
    assertThat(columns.line("x", 7, "")).isEqualTo("x              7");
  }

  @Test
  void aRowHasACellForEachColumn() {
    assertThatThrownBy(() -> new Table("a", "b").row(1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("1 cells for 2 columns");
  }

  @Test
  void cellsOfPagesAreEscapedAndMayBeDrawings() {
    Table table = new Table("<a>", ">b").row("x & y", new Svg(3, 4));
    assertThat(table.html())
        .contains("<th>&lt;a&gt;</th>", "<td>x &amp; y</td>", "<td class=\"n\"><svg ");
    assertThat(table.lines()).containsExactly("<a>    b", "x & y");
  }
}
