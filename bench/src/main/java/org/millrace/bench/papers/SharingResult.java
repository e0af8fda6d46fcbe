package org.millrace.bench.papers;

import java.util.List;
import java.util.Locale;
import org.millrace.bench.measure.Busy;
import org.millrace.output.Table;

/**
 * What {@link SharingBenchmark} measured. Immutable.
 *
 * @param ranks how many processes computed
 * @param bound whether they were bound to all processors but one, and all others to that
 * @param iterations of the computation
 * @param aloneSeconds that it took with nothing beside it
 * @param rows one for each stream
 */
public record SharingResult(
    int ranks, boolean bound, int iterations, double aloneSeconds, List<Row> rows) {

  /** Keeps a copy of the list. */
  public SharingResult {
    rows = List.copyOf(rows);
  }

  /**
   * The computation beside one stream.
   *
   * @param seconds that the computation took
   * @param efficiency what is left of its speed alone, a part of 1: the median of the turns, which
   *     is not quite the quotient of the seconds
   * @param requestsPerSecond of the stream
   * @param servingCores processors that serving it kept busy
   * @param clientCores processors that its client kept busy
   */
  public record Run(
      double seconds,
      double efficiency,
      double requestsPerSecond,
      double servingCores,
      double clientCores) {}

  /**
   * Beside one stream.
   *
   * @param stream which
   * @param shared served by a node that computes
   * @param control served by one that does not
   * @param efficiencyToControl what is left of the speed beside the control, a part of 1; the
   *     median of the turns
   */
  public record Row(SharingStream stream, Run shared, Run control, double efficiencyToControl) {}

  /** As lines of text, with the paper's numbers at the end of each. */
  public String table() {
    Table table =
        new Table(
            "%s iterations on %s node%s".formatted(iterations, ranks, ranks == 1 ? "" : "s"),
            ">seconds",
            ">efficiency",
            ">to control",
            ">requests/s",
            ">serving",
            ">client",
            ">paper s",
            ">efficiency");
    String paper = number(SharingStream.PAPER_ALONE_SECONDS, 1);
    table.row("no I/O", number(aloneSeconds, 2), "", "", "", "", "", paper, "");
    for (Row row : rows) {
      table.row(
          row.stream.label(),
          number(row.shared.seconds, 2),
          Busy.percent(row.shared.efficiency),
          Busy.percent(row.efficiencyToControl),
          number(row.shared.requestsPerSecond, 0),
          number(row.shared.servingCores, 2),
          number(row.shared.clientCores, 2),
          number(row.stream.paperSeconds(), 1),
          Busy.percent(row.stream.paperEfficiency()));
      table.row(
          "  served by a node of its own",
          number(row.control.seconds, 2),
          Busy.percent(row.control.efficiency),
          "",
          number(row.control.requestsPerSecond, 0),
          number(row.control.servingCores, 2),
          number(row.control.clientCores, 2),
          "",
          "");
    }
    return table.text().stripTrailing();
  }

  /** Why the numbers may not mean what the paper's do; empty where they do. */
  public String caution(int processors) {
    if (bound) {
      return ranks < processors
          ? ""
          : ("%s ranks share %s of %s processors, the stream's client has the other: serving takes"
                  + " time from all ranks there, instead of from one that the others wait for.")
              .formatted(ranks, processors - 1, processors);
    }
    int processes = SharingOptions.processes(ranks);
    return processors >= processes
        ? ""
        : ("%s processes share %s processors: client and server of the stream take them from every"
                + " rank, wherever they are. The control shows how much of the loss that is.")
            .formatted(processes, processors);
  }

  private static String number(double number, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", number);
  }
}
