package org.millrace.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

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
    return "%d %d %d %d %d %d %d %s"
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

  double updatesPerSecond() {
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
    StringBuilder text = new StringBuilder();
    text.append(
        "%-22s %10s %8s %10s %10s %11s %10s"
            .formatted(
                "columbus", "updates/s", "KB each", "read MB/s", "write MB/s", "lock us", "ratio"));
    ColumbusResult plain = results.getLast();
    for (ColumbusResult one : results) {
      text.append(
          String.format(
              Locale.ROOT,
              "%n%-22s %10.0f %8.1f %10.1f %10.1f %11.1f %10s",
              one.way,
              one.updatesPerSecond(),
              one.requestKilobytes(),
              one.readRate() / 1e6,
              one.writeRate() / 1e6,
              one.lockMicros(),
              one == plain ? "" : ratio(one, plain)));
    }
    return text.toString();
  }

  /**
   * Table 1 of the paper with our numbers beside its own: what was read, the time that processors
   * spent reading, summed over all, and the rate of one of them. Strands stand beside DIO, the
   * plain file that all share beside PIOFS.
   */
  public static String table1(List<ColumbusResult> results) {
    StringBuilder text = new StringBuilder();
    text.append(
        "%-22s %12s %12s %15s   %-6s %12s %13s %15s"
            .formatted(
                "table 1, reads",
                "volume",
                "I/O time",
                "per processor",
                "paper",
                "volume",
                "I/O time",
                "per processor"));
    for (ColumbusResult one : results) {
      boolean first = one == results.getFirst();
      text.append(
          String.format(
              Locale.ROOT,
              "%n%-22s %9.3f GB %10.2f s %10.3f MB/s   %-6s %9.3f GB %11.2f s %10.3f MB/s",
              one.way,
              one.readBytes / 1e9,
              one.readNanos / 1e9,
              one.readRate() / 1e6,
              first ? "DIO" : "PIOFS",
              first ? 900.957 : 900.963,
              first ? 235708.32 : 906297.07,
              first ? 3.823 : 0.994));
    }
    return text.toString();
  }

  private static String ratio(ColumbusResult one, ColumbusResult plain) {
    return String.format(Locale.ROOT, "%.2f", one.updatesPerSecond() / plain.updatesPerSecond());
  }

  String json() {
    return String.format(
        Locale.ROOT,
        "{\"way\": %s, \"updates\": %d, \"nanos\": %d, \"readBytes\": %d, \"readNanos\": %d,"
            + " \"writtenBytes\": %d, \"writeNanos\": %d, \"lockNanos\": %d,"
            + " \"updatesPerSecond\": %.1f}",
        JsonReport.quote(way),
        updates,
        nanos,
        readBytes,
        readNanos,
        writtenBytes,
        writeNanos,
        lockNanos,
        updatesPerSecond());
  }
}
