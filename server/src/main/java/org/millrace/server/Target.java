package org.millrace.server;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.millrace.files.FilePath;

/**
 * What a request is about: a path below the root of the cluster's files, without {@code .}, {@code
 * ..} and empty names, and the parameters of the query. Immutable.
 *
 * @param names of the path, from the root; none for the root itself
 * @param query parameters by name
 */
record Target(List<String> names, Map<String, String> query) {

  /** Below which files are. */
  static final String PREFIX = "/files";

  private static final int HEX = 16;

  Target {
    names = List.copyOf(names);
    query = Map.copyOf(query);
  }

  /** Reads the target of a request. */
  static Target of(URI uri) throws Refusal {
    String raw = uri.getRawPath() == null ? "" : uri.getRawPath();
    if (!raw.equals(PREFIX) && !raw.startsWith(PREFIX + "/")) {
      throw new Refusal(Statuses.NOT_FOUND, "files are below " + PREFIX + "/");
    }
    return new Target(names(raw.substring(PREFIX.length())), parameters(uri.getRawQuery()));
  }

  /** Reads the target of a request that is not about a file: its parameters alone. */
  static Target ofQuery(@Nullable String raw) throws Refusal {
    return new Target(List.of(), parameters(raw));
  }

  /** A path as a parameter gives it: decoded, from the root. */
  static List<String> path(String decoded) throws Refusal {
    List<String> names = new ArrayList<>();
    for (String name : decoded.split("/", -1)) {
      if (!name.isEmpty()) {
        names.add(require(name));
      }
    }
    return names;
  }

  /** The last slash may be there or not; it says nothing. */
  private static List<String> names(String raw) throws Refusal {
    String path = raw.endsWith("/") ? raw.substring(0, raw.length() - 1) : raw;
    List<String> names = new ArrayList<>();
    if (path.isEmpty()) {
      return names;
    }
    for (String part : path.substring(1).split("/", -1)) {
      names.add(require(decode(part, false)));
    }
    return names;
  }

  private static String require(String name) throws Refusal {
    if (name.isEmpty()
        || name.equals(".")
        || name.equals("..")
        || name.indexOf('/') >= 0
        || name.indexOf('\0') >= 0) {
      throw new Refusal(
          Statuses.BAD_REQUEST, "a path has names only: no empty one, '.', '..', '%2F' or '%00'");
    }
    return name;
  }

  private static Map<String, String> parameters(@Nullable String raw) throws Refusal {
    Map<String, String> found = new LinkedHashMap<>();
    if (raw == null || raw.isEmpty()) {
      return found;
    }
    for (String part : raw.split("&", -1)) {
      int at = part.indexOf('=');
      String name = decode(at < 0 ? part : part.substring(0, at), true);
      String value = at < 0 ? "" : decode(part.substring(at + 1), true);
      if (found.put(name, value) != null) {
        throw new Refusal(Statuses.BAD_REQUEST, "the parameter '" + name + "' is given twice");
      }
    }
    return found;
  }

  private static String decode(String raw, boolean plus) throws Refusal {
    byte[] text = raw.getBytes(StandardCharsets.UTF_8);
    byte[] bytes = new byte[text.length];
    int length = 0;
    for (int i = 0; i < text.length; i++) {
      if (text[i] == '%') {
        int high = i + 2 < text.length ? Character.digit(text[i + 1], HEX) : -1;
        int low = i + 2 < text.length ? Character.digit(text[i + 2], HEX) : -1;
        if (high < 0 || low < 0) {
          throw new Refusal(Statuses.BAD_REQUEST, "'%' must be followed by two hex digits");
        }
        bytes[length++] = (byte) (high * HEX + low);
        i += 2;
      } else {
        bytes[length++] = plus && text[i] == '+' ? (byte) ' ' : text[i];
      }
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, 0, length))
          .toString();
    } catch (CharacterCodingException e) {
      throw new Refusal(Statuses.BAD_REQUEST, "names must be UTF-8");
    }
  }

  /** Refuses parameters that nobody reads: they were meant to say something. */
  void allow(String... known) throws Refusal {
    for (String name : query.keySet()) {
      if (!Set.of(known).contains(name)) {
        throw new Refusal(
            Statuses.BAD_REQUEST,
            "there is no parameter '%s' here, only %s".formatted(name, List.of(known)));
      }
    }
  }

  /** A parameter, if it is there. */
  Optional<String> parameter(String name) {
    return Optional.ofNullable(query.get(name));
  }

  /** A parameter that is true or false. */
  boolean flag(String name, boolean otherwise) throws Refusal {
    String value = query.get(name);
    return switch (value) {
      case null -> otherwise;
      case "", "true" -> true;
      case "false" -> false;
      default -> throw new Refusal(Statuses.BAD_REQUEST, "'%s' is true or false".formatted(name));
    };
  }

  /** A number of bytes or names, if it is there. */
  static long number(String name, String value, long least, long most) throws Refusal {
    try {
      long number = Long.parseLong(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new Refusal(
        Statuses.BAD_REQUEST, "'%s' is '%s', must be %s to %s".formatted(name, value, least, most));
  }

  /** The path as text, from the root. */
  static String text(List<String> names) {
    return String.join("/", names);
  }

  /** The path for the cluster. */
  FilePath path() {
    return FilePath.of(text(names));
  }

  /** The last name; empty for the root. */
  String name() {
    return names.isEmpty() ? "" : names.getLast();
  }
}
