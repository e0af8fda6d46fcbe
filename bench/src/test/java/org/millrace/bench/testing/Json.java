package org.millrace.bench.testing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A strict reader of JSON, as small as a test needs it. Used by one thread. */
public final class Json {

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** The value that {@code text} is: a map, list, string, double, boolean or null. */
  public static @Nullable Object read(String text) {
    Json json = new Json(text);
    Object value = json.value();
    json.blanks();
    if (json.at != text.length()) {
      throw json.wrong("something after the end");
    }
    return value;
  }

  private @Nullable Object value() {
    blanks();
    return switch (peek()) {
      case '{' -> object();
      case '[' -> list();
      case '"' -> string();
      case 'n' -> word("null", null);
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    expect('{');
    blanks();
    while (peek() != '}') {
      blanks();
      String name = string();
      blanks();
      expect(':');
      if (members.containsKey(name)) {
        throw wrong("member twice: " + name);
      }
      members.put(name, value());
      separator('}');
    }
    expect('}');
    return members;
  }

  private List<@Nullable Object> list() {
    List<@Nullable Object> elements = new ArrayList<>();
    expect('[');
    blanks();
    while (peek() != ']') {
      elements.add(value());
      separator(']');
    }
    expect(']');
    return elements;
  }

  /** A comma with something behind it, or the end. */
  private void separator(char end) {
    blanks();
    if (peek() != end) {
      expect(',');
      blanks();
      if (peek() == end) {
        throw wrong("comma before the end");
      }
    }
  }

  private String string() {
    expect('"');
    StringBuilder read = new StringBuilder();
    while (peek() != '"') {
      char c = text.charAt(at++);
      if (c < ' ') {
        throw wrong("control character in a string");
      }
      read.append(c == '\\' ? escaped() : c);
    }
    expect('"');
    return read.toString();
  }

  private char escaped() {
    char c = text.charAt(at++);
    if (c == 'u') {
      at += 4;
      return (char) Integer.parseInt(text.substring(at - 4, at), 16);
    }
    return switch (c) {
      case '"', '\\' -> c;
      case 'n' -> '\n';
      case 't' -> '\t';
      default -> throw wrong("unknown escape");
    };
  }

  private double number() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String number = text.substring(start, at);
    if (!number.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
      throw wrong("no number: " + number);
    }
    return Double.parseDouble(number);
  }

  private @Nullable Object word(String word, @Nullable Object meaning) {
    if (!text.startsWith(word, at)) {
      throw wrong("expected " + word);
    }
    at += word.length();
    return meaning;
  }

  private void blanks() {
    while (at < text.length() && " \n\r\t".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw wrong("ends too early");
    }
    return text.charAt(at);
  }

  private void expect(char c) {
    if (peek() != c) {
      throw wrong("expected " + c);
    }
    at++;
  }

  private IllegalArgumentException wrong(String why) {
    return new IllegalArgumentException(why + " at " + at + " of " + text);
  }
}
