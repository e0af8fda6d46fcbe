package org.millrace.protocol;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.millrace.access.Access;
import org.millrace.access.Geometry;
import org.millrace.layout.Layout;

/**
 * The parts of {@code docs/protocol.md} that follow from the code: made from the records and the
 * table of kinds, so that the page cannot say anything else.
 */
final class ProtocolPage {

  /** What is described by hand. */
  private static final List<Class<?>> BY_HAND =
      List.of(
          Access.class,
          Geometry.class,
          Layout.class,
          Effect.class,
          Recalled.Told.class,
          RankRequest.Piece.class,
          Failure.class);

  private static final List<String> EXAMPLES =
      List.of("FORM", "MEET Take", "MEMBERS", "NODE_FLUSH", "NODE_GATHER", "RANK_FETCH");

  private ProtocolPage() {}

  /** The parts, by the name that marks their place. */
  static Map<String, String> parts() {
    Map<String, String> parts = new LinkedHashMap<>();
    parts.put("kinds", kinds());
    parts.put("messages", grammar());
    parts.put("examples", examples());
    return parts;
  }

  /** The bytes of one message of each kind, in hexadecimal digits. */
  static Map<String, String> golden() {
    Map<String, String> golden = new LinkedHashMap<>();
    for (PlainMessages.Named sample : PlainMessages.all()) {
      byte[] bytes = WireCodecTest.encode(sample.message());
      golden.put(sample.name(), HexFormat.of().formatHex(bytes));
    }
    return golden;
  }

  private static String kinds() {
    StringBuilder table = new StringBuilder();
    table.append("| number | message | again? | quick? | why again, or only once |\n");
    table.append("|---|---|---|---|---|\n");
    for (Kind kind : Kind.values()) {
      if (kind.repeat() != Kind.Repeat.REPLY) {
        table.append(
            "| `%02x` | `%s` | %s | %s | %s |\n"
                .formatted(
                    kind.number(),
                    name(kind),
                    kind.repeat() == Kind.Repeat.AGAIN ? "yes" : "no",
                    switch (kind.speed()) {
                      case QUICK -> "yes";
                      case SMALL -> "if small";
                      case SLOW -> "no";
                    },
                    kind.reason()));
      }
    }
    return table.toString();
  }

  private static String name(Kind kind) {
    return kind.type().getEnclosingClass().getSimpleName() + "." + kind.type().getSimpleName();
  }

  private static String grammar() {
    StringBuilder text = new StringBuilder("```\n");
    Map<String, Class<?>> values = new LinkedHashMap<>();
    Class<?> family = Object.class;
    for (Kind kind : Kind.values()) {
      if (kind.type().getEnclosingClass() != family) {
        family = kind.type().getEnclosingClass();
        text.append("(* %s *)\n".formatted(family.getSimpleName()));
      }
      String fields = fields(kind.type(), values);
      text.append(rule(kind.type().getSimpleName(), "%02X ".formatted(kind.number()) + fields));
    }
    text.append("(* values *)\n");
    List<String> rules = new ArrayList<>();
    while (rules.size() < values.size()) {
      Class<?> next = List.copyOf(values.values()).get(rules.size());
      rules.add(rule(next.getSimpleName(), fields(next, values)));
    }
    rules.forEach(text::append);
    return text.append("```\n").toString();
  }

  private static String rule(String name, String fields) {
    return "%-14s = %s\n".formatted(name, fields.strip());
  }

  @SuppressWarnings("EnumOrdinal") // it is what is sent
  private static String fields(Class<?> record, Map<String, Class<?>> values) {
    if (record.isEnum()) {
      return Arrays.stream(record.getEnumConstants())
          .map(one -> "%02x (* %s *)".formatted(((Enum<?>) one).ordinal(), one))
          .collect(Collectors.joining(" | "));
    }
    return Arrays.stream(record.getRecordComponents())
        .map(field -> field(field, values))
        .collect(Collectors.joining(" "));
  }

  private static String field(RecordComponent field, Map<String, Class<?>> values) {
    return field.getName() + ":" + type(field.getGenericType(), values);
  }

  private static String type(Type type, Map<String, Class<?>> values) {
    if (type instanceof ParameterizedType generic) {
      Type[] of = generic.getActualTypeArguments();
      String first = type(of[0], values);
      if (generic.getRawType() == Optional.class) {
        return first + "?";
      }
      return generic.getRawType() == List.class
          ? first + "*"
          : "(" + first + " " + type(of[1], values) + ")*";
    }
    Class<?> plain = (Class<?>) type;
    if (plain == String.class) {
      return "text";
    } else if (plain == Integer.class) {
      return "int";
    } else if (plain == Long.class) {
      return "long";
    } else if (plain == boolean.class) {
      return "truth";
    } else if (plain == OptionalInt.class) {
      return "int?";
    } else if (plain == OptionalLong.class) {
      return "long?";
    } else if (plain == Bytes.class) {
      return "bytes";
    }
    if (!plain.isPrimitive() && !BY_HAND.contains(plain)) {
      values.put(plain.getSimpleName(), plain);
    }
    return plain.getSimpleName();
  }

  private static String examples() {
    Map<String, String> golden = golden();
    StringBuilder text = new StringBuilder("```\n");
    for (String example : EXAMPLES) {
      text.append(example).append('\n');
      String hex = Objects.requireNonNull(golden.get(example), example);
      for (int at = 0; at < hex.length(); at += 64) {
        String line = hex.substring(at, Math.min(hex.length(), at + 64));
        text.append("  ").append(line.replaceAll("(.{8})(?=.)", "$1 ")).append('\n');
      }
    }
    return text.append("```\n").toString();
  }
}
