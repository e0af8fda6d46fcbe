package org.millrace.bench.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.bench.grid.Cell;
import org.millrace.bench.grid.ColdReads;
import org.millrace.bench.grid.GridRow;
import org.millrace.bench.grid.GridSizes;
import org.millrace.bench.grid.Workload;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Scratch;

/** Rows of a grid, put together from rounds. No state. */
public final class PeerRows {

  private PeerRows() {}

  /** The same row with other cells. */
  public static GridRow with(GridRow row, List<Cell> cells) {
    return new GridRow(
        row.suite(),
        row.workload(),
        row.write(),
        row.ranks(),
        row.bytes(),
        row.runs(),
        row.scattered(),
        cells,
        row.taken());
  }

  /** One row with the laps of two rounds; only those that were measured whole, if there are. */
  public static GridRow join(GridRow first, GridRow second) {
    List<Cell> cells = new ArrayList<>();
    for (Cell cell : first.cells()) {
      Cell other = second.cell(cell.method()).orElseThrow();
      if (cell.isMeasured() != other.isMeasured()) {
        cells.add(cell.isMeasured() ? cell : other);
        continue;
      }
      List<Double> laps = new ArrayList<>(cell.laps());
      laps.addAll(other.laps());
      cells.add(Cell.of(cell.method(), cell.how(), laps));
    }
    return with(first, cells);
  }

  /** Cold reads as rows; their limit is one thread that reads the file from begin to end. */
  static List<GridRow> cold(Bench bench, GridSizes sizes, List<Workload> workloads)
      throws IOException {
    List<GridRow> all = new ArrayList<>();
    for (Workload workload : workloads) { // alone, since files differ in size
      Path folder = Files.createDirectory(bench.dir().resolve("cold-" + all.size()));
      Bench own = new Bench(bench.env(), folder, bench.sizes(), bench.progress());
      Row row = new ColdReads(own, sizes, List.of(workload)).run(done -> {}).getFirst();
      Scratch.remove(folder);
      double bytes = workload.size() * 1e9;
      double limit = bytes / row.limit().orElseThrow();
      double auto = bytes / row.value().orElseThrow();
      all.add(
          new GridRow(
              workload.suite(),
              workload.name(),
              false,
              workload.ranks(),
              workload.size(),
              workload.runs(),
              workload.scattered(),
              List.of(
                  Cell.of("limit", Cell.How.MEASURED, List.of(limit)),
                  Cell.of("auto", Cell.How.MEASURED, List.of(auto))),
              ""));
    }
    return all;
  }
}
