package org.millrace.bench.report;

import java.util.List;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Target;
import org.millrace.output.Json;

/**
 * Rows as JSON, for programs. Numbers are in the unit that the row names, without prefix; what was
 * not measured is null. No state.
 */
public final class JsonReport {

  private JsonReport() {}

  /** One object with the machine and all rows. */
  public static String of(Machine machine, List<Row> rows) {
    return Json.of(Json.object("machine", machine, "rows", rows(rows))) + "\n";
  }

  static List<?> rows(List<Row> rows) {
    return rows.stream().map(JsonReport::row).toList();
  }

  private static Object row(Row row) {
    Target target = row.target();
    boolean none = target.of() == Target.Of.NOTHING;
    return Json.object(
        "benchmark", row.benchmark(),
        "what", row.what(),
        "value", row.value(),
        "unit", row.unit().symbol(),
        "limit", row.limit(),
        "ratio", row.ratio(),
        "target", none ? null : target.bound(),
        "targetOf", target.of().name(),
        "verdict", row.verdict().name(),
        "note", row.note());
  }
}
