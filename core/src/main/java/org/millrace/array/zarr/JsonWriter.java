package org.millrace.array.zarr;

import java.util.Map;

/** Writes JSON, indented for people; lists of numbers on one line. Stateless. */
final class JsonWriter {

  private JsonWriter() {}

  static String write(Json value) {
    StringBuilder out = new StringBuilder();
    write(out, value, "\n");
    return out.toString();
  }

  private static void write(StringBuilder out, Json value, String indent) {
    switch (value) {
      case Json.Obj object -> object(out, object, indent);
      case Json.Arr list -> list(out, list, indent);
      case Json.Str string -> string(out, string.text());
      case Json.Num number -> out.append(number.text());
      case Json.Bool truth -> out.append(truth);
      case Json.Null nothing -> out.append(nothing);
    }
  }

  private static void object(StringBuilder out, Json.Obj object, String indent) {
    String inner = indent + "  ";
    String before = "{";
    for (Map.Entry<String, Json> member : object.members().entrySet()) {
      out.append(before).append(inner);
      string(out, member.getKey());
      out.append(": ");
      write(out, member.getValue(), inner);
      before = ",";
    }
    out.append(object.members().isEmpty() ? "{" : indent).append('}');
  }

  private static void list(StringBuilder out, Json.Arr list, String indent) {
    boolean plain = list.elements().stream().noneMatch(JsonWriter::isLong);
    String inner = indent + "  ";
    String before = "[";
    for (Json element : list.elements()) {
      out.append(before).append(plain ? before.equals("[") ? "" : " " : inner);
      write(out, element, inner);
      before = ",";
    }
    out.append(list.elements().isEmpty() ? "[" : plain ? "" : indent).append(']');
  }

  private static boolean isLong(Json element) {
    return element instanceof Json.Obj || element instanceof Json.Arr;
  }

  private static void string(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c > '~') {
        out.append("\\u%04x".formatted((int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
