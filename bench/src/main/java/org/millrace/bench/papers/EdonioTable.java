package org.millrace.bench.papers;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.millrace.heritage.fem.Phases;
import org.millrace.output.Table;

/**
 * A table of EDONIO's report, measured again: seconds of each phase. Immutable.
 *
 * @param name as in the report, such as {@code 5.3}
 * @param title what it is about
 * @param key what its rows differ in
 * @param rows one for each value of the key
 */
public record EdonioTable(String name, String title, String key, List<Row> rows) {

  /** Keeps a copy of the list. */
  public EdonioTable {
    rows = List.copyOf(rows);
  }

  /**
   * A row: the same work in several ways.
   *
   * @param label the value of the key
   * @param lines one for each way, then what the report has
   */
  public record Row(String label, List<Line> lines) {

    /** Keeps a copy of the list. */
    public Row {
      lines = List.copyOf(lines);
    }
  }

  /**
   * One way's phases.
   *
   * @param way as it is printed
   * @param phases in seconds
   * @param writeGain how many times as long the plain way takes to open, write and close; NaN if
   *     there is none to compare with
   * @param readGain as that, to open, preload, read and close
   */
  public record Line(String way, Phases phases, double writeGain, double readGain) {

    /** A line beside the plain way of the same row. */
    static Line of(String way, Phases phases, Phases plain) {
      return new Line(
          way, phases, writing(plain) / writing(phases), reading(plain) / reading(phases));
    }

    private static double writing(Phases p) {
      return p.wopen() + p.write() + p.wclose();
    }

    private static double reading(Phases p) {
      return p.ropen() + p.preload() + p.read() + p.rclose();
    }
  }

  /** The table as lines of text. */
  public String text() {
    List<String> headings = new ArrayList<>(List.of(key, "way"));
    Phases.NAMES.forEach(phase -> headings.add('>' + phase));
    headings.addAll(List.of(">writing", ">reading"));
    Table table = new Table(headings.toArray(String[]::new));
    for (Row row : rows) {
      String label = row.label;
      for (Line line : row.lines) {
        List<Object> cells = new ArrayList<>(List.of(label, line.way));
        for (double seconds : line.phases.seconds()) {
          cells.add(String.format(Locale.ROOT, seconds < 1 ? "%.3f" : "%.1f", seconds));
        }
        cells.addAll(List.of(gain(line.writeGain), gain(line.readGain)));
        table.row(cells.toArray());
        label = "";
      }
    }
    return "Table " + name + ": " + title + '\n' + table.text();
  }

  private static String gain(double gain) {
    return Double.isNaN(gain)
        ? "-"
        : String.format(Locale.ROOT, gain < 10 ? "%.2fx" : "%.1fx", gain);
  }
}
