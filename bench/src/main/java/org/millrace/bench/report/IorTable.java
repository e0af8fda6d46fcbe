package org.millrace.bench.report;

import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.millrace.bench.grid.IorOptions;
import org.millrace.bench.grid.IorRow;
import org.millrace.output.Columns;

/** Rows with IOR's columns. No state. */
public final class IorTable {

  private static final Columns COLUMNS =
      new Columns(
              "access",
              "bw(MiB/s)",
              "IOPS",
              "Latency(s)",
              "block(KiB)",
              "xfer(KiB)",
              "open(s)",
              "wr/rd(s)",
              "close(s)",
              "total(s)",
              "iter")
          .withWidths(8, 9, 9, 10, 10, 9, 9, 9, 9, 9);

  private static final Columns SUMMARY =
      new Columns("Operation", "Max(MiB)", "Min(MiB)", "Mean(MiB)", "StdDev", "Mean(s)")
          .withWidths(8, 9, 9, 9, 9);

  private IorTable() {}

  /** The heading, two lines. */
  public static String heading() {
    String names = COLUMNS.heading();
    return names + System.lineSeparator() + names.replaceAll("\\S", "-");
  }

  /** One row. */
  public static String line(IorOptions options, IorRow row) {
    return COLUMNS.line(
        row.access(),
        number(row.mebibytesPerSecond(), 2),
        number(row.callsPerSecond(), 2),
        number(row.latency(), 6),
        number(options.blockBytes() / 1024.0, 2),
        number(options.transferBytes() / 1024.0, 2),
        number(row.openSeconds(), 6),
        number(row.moveSeconds(), 6),
        number(row.closeSeconds(), 6),
        number(row.totalSeconds(), 6),
        row.iteration());
  }

  /** Largest, smallest and mean bandwidth of each direction. */
  public static String summary(List<IorRow> rows) {
    StringBuilder text = new StringBuilder();
    for (boolean write : new boolean[] {true, false}) {
      rows.stream()
          .filter(row -> row.write() == write)
          .mapToDouble(IorRow::mebibytesPerSecond)
          .max()
          .ifPresent(
              max ->
                  text.append(
                      String.format(
                          Locale.ROOT,
                          "Max %-6s %.2f MiB/sec (%.2f MB/sec)%n",
                          write ? "Write:" : "Read:",
                          max,
                          max * (1 << 20) / 1e6)));
    }
    text.append(System.lineSeparator()).append(SUMMARY.heading());
    for (boolean write : new boolean[] {true, false}) {
      List<IorRow> some = rows.stream().filter(row -> row.write() == write).toList();
      if (!some.isEmpty()) {
        text.append(System.lineSeparator()).append(summaryLine(some));
      }
    }
    return text.toString();
  }

  private static String summaryLine(List<IorRow> rows) {
    DoubleSummaryStatistics rates =
        rows.stream().collect(Collectors.summarizingDouble(IorRow::mebibytesPerSecond));
    double variance =
        rows.stream()
            .mapToDouble(row -> Math.pow(row.mebibytesPerSecond() - rates.getAverage(), 2))
            .average()
            .orElse(0);
    double seconds = rows.stream().mapToDouble(IorRow::totalSeconds).average().orElse(0);
    return SUMMARY.line(
        rows.getFirst().access(),
        number(rates.getMax(), 2),
        number(rates.getMin(), 2),
        number(rates.getAverage(), 2),
        number(Math.sqrt(variance), 2),
        number(seconds, 6));
  }

  static String number(double value, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
