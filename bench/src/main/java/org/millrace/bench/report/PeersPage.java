package org.millrace.bench.report;

import java.util.ArrayList;
import java.util.List;
import org.millrace.bench.grid.GridRow;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.peers.PeerRow;
import org.millrace.bench.peers.PeersBenchmark;

/** The comparison as one page that needs nothing else, with the charts of a grid. No state. */
public final class PeersPage {

  private PeersPage() {}

  /** The page. */
  public static String of(String title, Machine machine, PeersBenchmark.Result result) {
    List<String> said = new ArrayList<>();
    said.add(PeersTable.summary(result.rows()));
    said.add(String.join("; ", result.libraries()));
    said.addAll(result.notes());
    List<GridRow> rows = result.rows().stream().map(PeerRow::grid).toList();
    StringBuilder table = new StringBuilder(PeersTable.heading()).append('\n');
    for (PeerRow row : result.rows()) {
      table.append(PeersTable.line(row)).append('\n');
    }
    return GridPage.page(title, machine, said, rows)
        .heading("All rows")
        .text(table.toString())
        .html();
  }
}
