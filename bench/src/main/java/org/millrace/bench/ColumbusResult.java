package org.millrace.bench;

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

  /** The results as lines of text; the last one is the first way's share of the second. */
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
