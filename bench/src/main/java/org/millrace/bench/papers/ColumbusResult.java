package org.millrace.bench.papers;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.millrace.output.Table;

/**
 * One way of {@link ColumbusBenchmark}: sums over all ranks, of the lap of median length.
 *
 * @param way as it is printed
 * @param updates how many there were
 * @param nanos from the first rank's start to the last one's end
 * @param readBytes compressed bytes read, with their headers
 * @param readNanos that ranks waited for them
 * @param writtenBytes compressed bytes written
 * @param writeNanos that ranks waited for them
 * @param lockNanos that ranks waited for locks and gave them back
 */
public record ColumbusResult(
    String way,
    long updates,
    long nanos,
    long readBytes,
    long readNanos,
    long writtenBytes,
    long writeNanos,
    long lockNanos) {

  /** As a line that {@link #parse} takes. */
  String line() {
    return "%s %s %s %s %s %s %s %s"
        .formatted(updates, nanos, readBytes, readNanos, writtenBytes, writeNanos, lockNanos, way);
  }

  static ColumbusResult parse(String line) {
    String[] words = line.split(" ", 8);
    long[] numbers = Arrays.stream(words, 0, 7).mapToLong(Long::parseLong).toArray();
    return new ColumbusResult(
        words[7],
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5],
        numbers[6]);
  }

  /** Updates of all ranks in a second. */
  public double updatesPerSecond() {
    return updates * 1e9 / nanos;
  }

  double requestKilobytes() {
    return (readBytes + writtenBytes) / 2e3 / updates;
  }

  double readRate() {
    return readBytes * 1e9 / readNanos;
  }

  double writeRate() {
    return writtenBytes * 1e9 / writeNanos;
  }

  private double lockMicros() {
    return lockNanos / 1e3 / updates;
  }

  /** Updates as lines of text; the last column is the first way's rate to the second's. */
  public static String table(List<ColumbusResult> results) {
    Table table =
        new Table(
            "columbus",
            ">updates/s",
            ">KB each",
            ">read MB/s",
            ">write MB/s",
            ">lock us",
            ">ratio");
    ColumbusResult plain = results.getLast();
    for (ColumbusResult one : results) {
      table.row(
          one.way,
          number(one.updatesPerSecond(), 0),
          number(one.requestKilobytes(), 1),
          number(one.readRate() / 1e6, 1),
          number(one.writeRate() / 1e6, 1),
          number(one.lockMicros(), 1),
          one == plain ? "" : number(one.updatesPerSecond() / plain.updatesPerSecond(), 2));
    }
    return table.text().stripTrailing();
  }

  /**
   * Table 1 of the paper with our numbers beside its own: what was read, the time that processors
   * spent reading, summed over all, and the rate of one of them. Strands stand beside DIO, the
   * plain file that all share beside PIOFS.
   */
  public static String table1(List<ColumbusResult> results) {
    Table table =
        new Table(
            "table 1, reads",
            ">volume",
            ">I/O time",
            ">per processor",
            "paper",
            ">volume",
            ">I/O time",
            ">per processor");
    for (ColumbusResult one : results) {
      boolean first = one == results.getFirst();
      table.row(
          one.way,
          number(one.readBytes / 1e9, 3) + " GB",
          number(one.readNanos / 1e9, 2) + " s",
          number(one.readRate() / 1e6, 3) + " MB/s",
          first ? "DIO" : "PIOFS",
          number(first ? 900.957 : 900.963, 3) + " GB",
          number(first ? 235708.32 : 906297.07, 2) + " s",
          number(first ? 3.823 : 0.994, 3) + " MB/s");
    }
    return table.text().stripTrailing();
  }

  private static String number(double number, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", number);
  }
}
