package org.millrace.bench;

import java.util.List;
import java.util.stream.Collectors;

/** A grid as JSON, for programs. Times are nanoseconds of one call of all ranks. No state. */
public final class GridJson {

  private GridJson() {}

  /** One object with the machine, all rows, and the rows of cold reading. */
  public static String of(Machine machine, StrategyGrid.Result result) {
    return """
        {
          "machine": %s,
          "reachesTarget": %s,
          "choosesWell": %s,
          "grid": [
            %s
          ],
          "cold": [
            %s
          ]
        }
        """
        .formatted(
            JsonReport.machine(machine),
            result.reachesTarget(),
            result.choosesWell(),
            rows(result.rows()),
            JsonReport.rows(result.cold()));
  }

  /** Rows as the inside of an array. */
  static String rows(List<GridRow> rows) {
    return rows.stream().map(GridJson::row).collect(Collectors.joining(",\n    "));
  }

  private static String row(GridRow row) {
    return "{"
        + String.join(
            ", ",
            facts(row),
            "\"ratio\": " + row.ratio(),
            "\"reachesTarget\": " + row.reachesTarget(),
            "\"choosesWell\": " + row.choosesWell(),
            "\"best\": " + row.best().map(cell -> JsonReport.quote(cell.method())).orElse("null"),
            methods(row))
        + "}";
  }

  /** What was done, as members of an object. */
  static String facts(GridRow row) {
    return String.join(
        ", ",
        "\"suite\": " + JsonReport.quote(row.suite()),
        "\"workload\": " + JsonReport.quote(row.workload()),
        "\"op\": " + JsonReport.quote(row.op()),
        "\"ranks\": " + row.ranks(),
        "\"bytes\": " + row.bytes(),
        "\"runs\": " + row.runs(),
        "\"scattered\": " + row.scattered());
  }

  /** All cells, as a member of an object. */
  static String methods(GridRow row) {
    return "\"methods\": {"
        + row.cells().stream().map(GridJson::cell).collect(Collectors.joining(", "))
        + "}";
  }

  private static String cell(Cell cell) {
    return JsonReport.quote(cell.method())
        + ": {\"nanos\": "
        + cell.nanos()
        + ", \"how\": "
        + JsonReport.quote(cell.how().name())
        + ", \"laps\": "
        + cell.laps()
        + "}";
  }
}
