package org.millrace.array;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Shape;

/**
 * A strict reader of the dict in the header of a {@code .npy} file: the subset of Python's literals
 * that such dicts are made of, and nothing else.
 *
 * <pre>
 *   dict  = "{" [ entry { "," entry } [ "," ] ] "}" spaces
 *   entry = "'descr'" ":" string | "'fortran_order'" ":" ("True" | "False") | "'shape'" ":" tuple
 *   tuple = "(" [ number { "," number } [ "," ] ] ")"       (n) alone is no tuple
 * </pre>
 *
 * Each key comes exactly once. Belongs to one thread, for one header.
 */
final class NpyDict {

  private static final int MOST_DIMENSIONS = 64;

  // constant after construction
  private final String text;
  private final int base;

  // owned by the thread that reads
  private int at;
  private @Nullable ElementType type;
  private @Nullable Boolean fortranOrder;
  private @Nullable List<Long> dims;

  /**
   * @param text the header without its prefix
   * @param base at which byte of the file it begins
   */
  NpyDict(String text, int base) {
    this.text = text;
    this.base = base;
  }

  NpyHeader header(int headerBytes) {
    expect('{');
    while (!tryTake('}')) {
      entry();
      if (!tryTake(',')) {
        expect('}');
        break;
      }
    }
    skipSpace();
    if (at < text.length()) {
      throw wrong("something behind the dict");
    }
    ElementType foundType = require("descr", type);
    boolean foundOrder = require("fortran_order", fortranOrder);
    List<Long> foundDims = require("shape", dims);
    Shape shape = NpyHeader.shape(foundDims, foundOrder);
    NpyHeader header = new NpyHeader(shape, foundType, headerBytes);
    header.fileBytes(); // fits in a long
    return header;
  }

  private <T> T require(String key, @Nullable T value) {
    if (value == null) {
      throw wrong("the key '" + key + "' is missing");
    }
    return value;
  }

  private void entry() {
    String key = string();
    expect(':');
    switch (key) {
      case "descr" -> {
        checkFirst(key, type);
        type = type();
      }
      case "fortran_order" -> {
        checkFirst(key, fortranOrder);
        fortranOrder = truth();
      }
      case "shape" -> {
        checkFirst(key, dims);
        dims = tuple();
      }
      default -> throw wrong("the key '" + key + "' is unknown");
    }
  }

  private void checkFirst(String key, @Nullable Object before) {
    if (before != null) {
      throw wrong("the key '" + key + "' comes twice");
    }
  }

  private ElementType type() {
    skipSpace();
    if (at < text.length() && text.charAt(at) == '[') {
      throw wrong("structured element types are not supported; store each field as an array");
    }
    int where = at;
    String descr = string();
    try {
      return ElementType.parse(descr);
    } catch (IllegalArgumentException e) {
      at = where;
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  private boolean truth() {
    skipSpace();
    for (String word : List.of("True", "False")) {
      if (text.startsWith(word, at)) {
        at += word.length();
        return word.equals("True");
      }
    }
    throw wrong("neither True nor False");
  }

  private List<Long> tuple() {
    List<Long> numbers = new ArrayList<>();
    expect('(');
    boolean comma = true;
    while (!tryTake(')')) {
      if (!comma) {
        throw wrong("neither ',' nor ')'");
      }
      numbers.add(number());
      comma = tryTake(',');
    }
    if (numbers.size() == 1 && !comma) {
      throw wrong("a number in brackets, not a tuple");
    }
    if (numbers.size() > MOST_DIMENSIONS) {
      throw wrong(numbers.size() + " dimensions, at most " + MOST_DIMENSIONS + " are possible");
    }
    return numbers;
  }

  private long number() {
    skipSpace();
    int from = at;
    if (at < text.length() && text.charAt(at) == '-') {
      throw wrong("a negative dimension");
    }
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    if (at == from) {
      throw wrong("no number");
    }
    try {
      return Long.parseLong(text, from, at, 10);
    } catch (NumberFormatException e) {
      throw wrong("a dimension beyond 2^63-1");
    }
  }

  private String string() {
    skipSpace();
    char quote = at < text.length() ? text.charAt(at) : ' ';
    if (quote != '\'' && quote != '"') {
      throw wrong("no string");
    }
    int end = text.indexOf(quote, at + 1);
    if (end < 0 || text.substring(at, end).contains("\\")) {
      throw wrong("a string without end, or with a backslash");
    }
    String found = text.substring(at + 1, end);
    at = end + 1;
    return found;
  }

  private void expect(char wanted) {
    if (!tryTake(wanted)) {
      throw wrong("no '" + wanted + "'");
    }
  }

  private boolean tryTake(char wanted) {
    skipSpace();
    if (at < text.length() && text.charAt(at) == wanted) {
      at++;
      return true;
    }
    return false;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("byte " + (base + at) + " of the header: " + what);
  }
}
