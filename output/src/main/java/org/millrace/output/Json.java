package org.millrace.output;

import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes values as JSON, indented for people: maps, public records by the names of their
 * components, lists, strings, numbers, booleans, optionals; anything else as its text. Numbers that
 * are not finite, empty optionals and null become null. Stateless.
 */
public final class Json {

  private Json() {}

  /** The text of a value, without an end of line. */
  public static String of(Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value, "\n");
    return out.toString();
  }

  /** An object whose members are named and given in turn; it keeps their order. */
  public static Map<String, @Nullable Object> object(@Nullable Object... namesAndValues) {
    if (namesAndValues.length % 2 != 0) {
      throw new IllegalArgumentException(namesAndValues.length + " names and values, must be even");
    }
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      members.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
    }
    return members;
  }

  /** A number with so many decimals. */
  public static Number rounded(double value, int decimals) {
    return Double.isFinite(value)
        ? BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP)
        : value;
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
      case Record record -> write(out, components(record), indent);
      case Optional<?> optional -> write(out, optional.orElse(null), indent);
      case OptionalLong optional ->
          out.append(optional.isPresent() ? Long.toString(optional.getAsLong()) : "null");
      case OptionalDouble optional ->
          write(out, optional.isPresent() ? optional.getAsDouble() : null, indent);
      case BigDecimal number -> out.append(number.toPlainString());
      case Double number when number.isNaN() || number.isInfinite() -> out.append("null");
      case Number number -> out.append(number);
      case Boolean truth -> out.append(truth);
      default -> string(out, value.toString());
    }
  }

  private static Map<String, @Nullable Object> components(Record record) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      try {
        members.put(component.getName(), component.getAccessor().invoke(record));
      } catch (ReflectiveOperationException e) {
        throw new IllegalArgumentException(record.getClass() + " cannot be read", e);
      }
    }
    return members;
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
