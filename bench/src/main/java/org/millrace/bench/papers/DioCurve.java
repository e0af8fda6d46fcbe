package org.millrace.bench.papers;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.millrace.bench.measure.Busy;
import org.millrace.bench.measure.Shown;
import org.millrace.output.Table;

/**
 * Rates against the size of requests, of one kind of access in all ways. Immutable.
 *
 * @param medium {@code cached} or {@code disk}
 * @param write or read
 * @param random in no order, or from the begin on
 * @param lines one for each way
 */
public record DioCurve(String medium, boolean write, boolean random, List<Line> lines) {

  /** Keeps a copy of the list. */
  public DioCurve {
    lines = List.copyOf(lines);
  }

  /**
   * Rates in one way.
   *
   * @param way as it is printed; the first of a curve is the local one
   * @param rates bytes in a second, by bytes of a request
   */
  public record Line(String way, NavigableMap<Integer, Double> rates) {

    /** Keeps a copy of the map. */
    public Line {
      rates = java.util.Collections.unmodifiableNavigableMap(new TreeMap<>(rates));
    }

    double rate(int bytes) {
      return rates.getOrDefault(bytes, Double.NaN);
    }
  }

  /** As it is printed. */
  public String title() {
    return "%s, %s %s"
        .formatted(medium, random ? "random" : "sequential", write ? "write" : "read");
  }

  /** The sizes of requests, ascending. */
  public List<Integer> sizes() {
    return List.copyOf(lines.getFirst().rates.keySet());
  }

  /** The curve as lines of text: rates in MB/s, and each remote way's share of the local rate. */
  public String table() {
    List<Line> remote = lines.subList(1, lines.size());
    List<String> headings = new ArrayList<>(List.of(title() + ", MB/s"));
    lines.forEach(line -> headings.add('>' + line.way));
    remote.forEach(line -> headings.add('>' + line.way + "/local"));
    Table table = new Table(headings.toArray(String[]::new));
    for (int bytes : sizes()) {
      List<Object> cells = new ArrayList<>(List.of("  " + Shown.bytes(bytes)));
      lines.forEach(line -> cells.add(String.format(Locale.ROOT, "%.1f", line.rate(bytes) / 1e6)));
      double local = lines.getFirst().rate(bytes);
      remote.forEach(line -> cells.add(Busy.ratio(line.rate(bytes) / local)));
      table.row(cells.toArray());
    }
    return table.text().stripTrailing();
  }
}
