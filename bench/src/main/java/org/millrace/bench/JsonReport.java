package org.millrace.bench;

import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * Rows as JSON, for programs. Numbers are in the unit that the row names, without prefix; what was
 * not measured is null. No state.
 */
public final class JsonReport {

  private JsonReport() {}

  /** One object with the machine and all rows. */
  public static String of(Machine machine, List<Row> rows) {
    return """
        {
          "machine": %s,
          "rows": [
            %s
          ]
        }
        """
        .formatted(machine(machine), rows(rows));
  }

  /** The machine as an object. */
  static String machine(Machine machine) {
    return "{\"java\": %s, \"system\": %s, \"processors\": %d, \"when\": %s}"
        .formatted(
            quote(machine.java()),
            quote(machine.system()),
            machine.processors(),
            quote(machine.when()));
  }

  /** Rows as the inside of an array. */
  static String rows(List<Row> rows) {
    return rows.stream().map(JsonReport::row).collect(Collectors.joining(",\n    "));
  }

  private static String row(Row row) {
    Target target = row.target();
    boolean none = target.of() == Target.Of.NOTHING;
    return "{"
        + String.join(
            ", ",
            "\"benchmark\": " + quote(row.benchmark()),
            "\"what\": " + quote(row.what()),
            "\"value\": " + number(row.value()),
            "\"unit\": " + quote(row.unit().symbol()),
            "\"limit\": " + number(row.limit()),
            "\"ratio\": " + number(row.ratio()),
            "\"target\": " + (none ? "null" : Double.toString(target.bound())),
            "\"targetOf\": " + quote(target.of().name()),
            "\"verdict\": " + quote(row.verdict().name()),
            "\"note\": " + quote(row.note()))
        + "}";
  }

  private static String number(OptionalDouble number) {
    return number.isPresent() && Double.isFinite(number.getAsDouble())
        ? Double.toString(number.getAsDouble())
        : "null";
  }

  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
