package org.millrace.coordinator;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Checks and splits paths of users. A leading slash is optional: {@code /a/b} is {@code a/b}, and
 * {@code /} the root. Stateless.
 */
final class Paths {

  static final int MAX_NAME_BYTES = 255;
  static final int MAX_PATH_BYTES = 4096;

  private static final int SHOWN_CHARS = 80;

  private Paths() {}

  /** The names on the way to {@code path}; none for the root, "" or "/". */
  static List<String> split(String path) throws MillraceException {
    String relative = path.startsWith("/") ? path.substring(1) : path;
    if (relative.isEmpty()) {
      return List.of();
    }
    checkWhole(path);
    List<String> names = List.of(relative.split("/", -1));
    for (String name : names) {
      checkName(path, name);
    }
    return names;
  }

  /** As {@link #split} for a path that must not be the root. */
  static List<String> splitBelowRoot(String path) throws MillraceException {
    List<String> names = split(path);
    if (names.isEmpty()) {
      throw refused(path, "it names the root directory");
    }
    return names;
  }

  private static void checkWhole(String path) throws MillraceException {
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (Character.isISOControl(c)) {
        throw refused(
            path, String.format("character %s is the control character U+%04X", i, (int) c));
      }
      if (Character.isSurrogate(c) && !isPaired(path, i)) {
        throw refused(path, String.format("character %s is the lone surrogate U+%04X", i, (int) c));
      }
    }
    int bytes = bytes(path);
    if (bytes > MAX_PATH_BYTES) {
      throw refused(path, "it has " + bytes + " bytes, more than " + MAX_PATH_BYTES);
    }
  }

  private static boolean isPaired(String path, int i) {
    return Character.isHighSurrogate(path.charAt(i))
        ? i + 1 < path.length() && Character.isLowSurrogate(path.charAt(i + 1))
        : i > 0 && Character.isHighSurrogate(path.charAt(i - 1));
  }

  private static void checkName(String path, String name) throws MillraceException {
    if (name.isEmpty()) {
      throw refused(path, "it has an empty name in it");
    }
    if (name.equals(".") || name.equals("..")) {
      throw refused(path, "it has the name \"" + name + "\" in it");
    }
    int bytes = bytes(name);
    if (bytes > MAX_NAME_BYTES) {
      throw refused(path, "it has a name of " + bytes + " bytes, more than " + MAX_NAME_BYTES);
    }
  }

  /**
   * Checks what a program that is no rank calls a path or the target of a link: any text that has
   * bytes, and is not too long.
   */
  static void checkText(String path) throws MillraceException {
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == 0 || Character.isSurrogate(c) && !isPaired(path, i)) {
        throw refused(path, String.format("character %s is U+%04X", i, (int) c));
      }
    }
    int bytes = bytes(path);
    if (bytes > MAX_PATH_BYTES) {
      throw tooLong("path", path, bytes, MAX_PATH_BYTES);
    }
  }

  /** Checks the length of one name in a path. */
  static void checkLength(String name, String path) throws MillraceException {
    int bytes = name.length() * 3 <= MAX_NAME_BYTES ? 0 : bytes(name);
    if (bytes > MAX_NAME_BYTES) {
      throw tooLong("name in path", path, bytes, MAX_NAME_BYTES);
    }
  }

  private static MillraceException tooLong(String what, String path, int bytes, int most) {
    return new MillraceException(
        ErrorCode.NAME_TOO_LONG,
        "%s %s: it has %s bytes, more than %s".formatted(what, show(path), bytes, most));
  }

  /** Checks an owner's name. */
  static void checkOwner(String owner) throws MillraceException {
    checkGroup(owner);
    if (owner.isEmpty()) {
      throw new MillraceException(ErrorCode.INVALID, "an owner without a name");
    }
  }

  /** Checks a group's name; empty is none. */
  static void checkGroup(String group) throws MillraceException {
    if (group.chars().anyMatch(Character::isISOControl) || bytes(group) > MAX_NAME_BYTES) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "group "
              + show(group)
              + ": it has control characters or more than "
              + MAX_NAME_BYTES
              + " bytes");
    }
  }

  static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static MillraceException refused(String path, String reason) {
    return new MillraceException(ErrorCode.INVALID, "path " + show(path) + ": " + reason);
  }

  /** A path for messages: quoted, without control characters, not too long. */
  static String show(String path) {
    StringBuilder shown = new StringBuilder("\"");
    for (int i = 0; i < path.length() && i < SHOWN_CHARS; i++) {
      char c = path.charAt(i);
      if (Character.isISOControl(c) || Character.isSurrogate(c) && !isPaired(path, i)) {
        shown.append(String.format("\\u%04x", (int) c));
      } else {
        shown.append(c);
      }
    }
    return shown.append(path.length() > SHOWN_CHARS ? "...\"" : "\"").toString();
  }
}
