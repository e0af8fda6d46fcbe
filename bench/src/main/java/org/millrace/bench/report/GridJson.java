package org.millrace.bench.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.grid.Cell;
import org.millrace.bench.grid.GridRow;
import org.millrace.bench.grid.StrategyGrid;
import org.millrace.bench.measure.Machine;
import org.millrace.output.Json;

/** A grid as JSON, for programs. Times are nanoseconds of one call of all ranks. No state. */
public final class GridJson {

  private GridJson() {}

  /** One object with the machine, all rows, and the rows of cold reading. */
  public static String of(Machine machine, StrategyGrid.Result result) {
    return Json.of(
            Json.object(
                "machine", machine,
                "reachesTarget", result.reachesTarget(),
                "choosesWell", result.choosesWell(),
                "takesWell", result.takesWell(),
                "grid", rows(result.rows()),
                "cold", JsonReport.rows(result.cold())))
        + "\n";
  }

  static List<?> rows(List<GridRow> rows) {
    return rows.stream().map(GridJson::row).toList();
  }

  private static Object row(GridRow row) {
    return row(
        row,
        Json.object(
            "ratio", row.ratio(),
            "reachesTarget", row.reachesTarget(),
            "choosesWell", row.choosesWell(),
            "takesWell", row.takesWell(),
            "taken", row.taken(),
            "best", row.best().map(Cell::method)));
  }

  /** What was done, then what follows from it, then all cells. */
  static Object row(GridRow row, Map<String, @Nullable Object> findings) {
    Map<String, @Nullable Object> all =
        Json.object(
            "suite", row.suite(),
            "workload", row.workload(),
            "op", row.op(),
            "ranks", row.ranks(),
            "bytes", row.bytes(),
            "runs", row.runs(),
            "scattered", row.scattered());
    all.putAll(findings);
    Map<String, Object> methods = new LinkedHashMap<>();
    for (Cell cell : row.cells()) {
      methods.put(
          cell.method(),
          Json.object("nanos", cell.nanos(), "how", cell.how().name(), "laps", cell.laps()));
    }
    all.put("methods", methods);
    return all;
  }
}
