package org.millrace.bench.report;

import org.millrace.bench.grid.Cell;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.peers.PeerRow;
import org.millrace.bench.peers.PeersBenchmark;
import org.millrace.output.Json;

/** The comparison as JSON, for programs. Times are nanoseconds of one call. No state. */
public final class PeersJson {

  private PeersJson() {}

  /** One object with the machine, the libraries and all rows. */
  public static String of(Machine machine, PeersBenchmark.Result result) {
    return Json.of(
            Json.object(
                "machine", machine,
                "cold", result.cold(),
                "libraries", result.libraries(),
                "notes", result.notes(),
                "rows", result.rows().stream().map(PeersJson::row).toList()))
        + "\n";
  }

  private static Object row(PeerRow row) {
    return GridJson.row(
        row.grid(),
        Json.object(
            "best", row.best().map(Cell::method),
            "ratioToLimit", row.grid().ratio(),
            "ratioToBest", row.ratio(),
            "target", row.target(),
            "verdict", row.verdict().name()));
  }
}
