package org.millrace.cli;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes values as JSON, indented for people: maps, lists, strings, numbers, booleans, optionals.
 * Stateless.
 */
final class Json {

  private Json() {}

  /** The text of a value. */
  static String of(Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value, "\n");
    return out.toString();
  }

  private static void write(StringBuilder out, @Nullable Object value, String indent) {
    switch (value) {
      case null -> out.append("null");
      case Map<?, ?> map -> {
        String inner = indent + "  ";
        String before = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          out.append(before).append(inner);
          string(out, String.valueOf(entry.getKey()));
          out.append(": ");
          write(out, entry.getValue(), inner);
          before = ",";
        }
        out.append(map.isEmpty() ? "{" : indent).append('}');
      }
      case List<?> list -> {
        String inner = indent + "  ";
        String before = "[";
        for (Object one : list) {
          out.append(before).append(inner);
          write(out, one, inner);
          before = ",";
        }
        out.append(list.isEmpty() ? "[" : indent).append(']');
      }
      case Optional<?> optional -> write(out, optional.orElse(null), indent);
      case OptionalLong optional ->
          out.append(optional.isPresent() ? Long.toString(optional.getAsLong()) : "null");
      case Double number when number.isNaN() || number.isInfinite() -> out.append("null");
      case Number number -> out.append(number);
      case Boolean truth -> out.append(truth);
      default -> string(out, value.toString());
    }
  }

  private static void string(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ' || c == 0x7f || Character.isSurrogate(c) && !isPaired(text, i)) {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  private static boolean isPaired(String text, int i) {
    return Character.isHighSurrogate(text.charAt(i))
        ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
        : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
  }
}
