package org.millrace.bench;

import java.util.stream.Collectors;

/** The comparison as JSON, for programs. Times are nanoseconds of one call. No state. */
public final class PeersJson {

  private PeersJson() {}

  /** One object with the machine, the libraries and all rows. */
  public static String of(Machine machine, PeersBenchmark.Result result) {
    return """
        {
          "machine": %s,
          "cold": %s,
          "libraries": [%s],
          "notes": [%s],
          "rows": [
            %s
          ]
        }
        """
        .formatted(
            JsonReport.machine(machine),
            result.cold(),
            result.libraries().stream().map(JsonReport::quote).collect(Collectors.joining(", ")),
            result.notes().stream().map(JsonReport::quote).collect(Collectors.joining(", ")),
            result.rows().stream().map(PeersJson::row).collect(Collectors.joining(",\n    ")));
  }

  private static String row(PeerRow row) {
    return "{"
        + String.join(
            ", ",
            GridJson.facts(row.grid()),
            "\"best\": " + row.best().map(one -> JsonReport.quote(one.method())).orElse("null"),
            "\"ratioToLimit\": " + number(row.grid().ratio()),
            "\"ratioToBest\": " + number(row.ratio()),
            "\"target\": " + row.target(),
            "\"verdict\": " + JsonReport.quote(row.verdict().name()),
            GridJson.methods(row.grid()))
        + "}";
  }

  private static String number(double number) {
    return Double.isFinite(number) ? Double.toString(number) : "null";
  }
}
