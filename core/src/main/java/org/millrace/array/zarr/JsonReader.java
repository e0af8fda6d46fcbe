package org.millrace.array.zarr;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A strict reader of JSON (RFC 8259): no comments, no trailing commas, no member twice. It also
 * refuses values that are nested very deeply. Used by one thread.
 */
final class JsonReader {

  static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");

  private static final int MAX_DEPTH = 200;

  private final String text;
  private int at;
  private int depth;

  JsonReader(String text) {
    this.text = text;
  }

  Json document() {
    Json value = value();
    blanks();
    if (at != text.length()) {
      throw wrong("something behind the end");
    }
    return value;
  }

  private Json value() {
    blanks();
    if (++depth > MAX_DEPTH) {
      throw wrong("nested deeper than " + MAX_DEPTH);
    }
    Json value =
        switch (peek()) {
          case '{' -> object();
          case '[' -> list();
          case '"' -> new Json.Str(string());
          case 'n' -> word("null", Json.Null.NULL);
          case 't' -> word("true", Json.Bool.TRUE);
          case 'f' -> word("false", Json.Bool.FALSE);
          default -> number();
        };
    depth--;
    return value;
  }

  private Json.Obj object() {
    Map<String, Json> members = new LinkedHashMap<>();
    expect('{');
    blanks();
    while (peek() != '}') {
      String name = string();
      blanks();
      expect(':');
      if (members.put(name, value()) != null) {
        throw wrong("member \"" + name + "\" twice");
      }
      separator('}');
    }
    expect('}');
    return new Json.Obj(members);
  }

  private Json.Arr list() {
    List<Json> elements = new ArrayList<>();
    expect('[');
    blanks();
    while (peek() != ']') {
      elements.add(value());
      separator(']');
    }
    expect(']');
    return new Json.Arr(elements);
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
    char c = peek();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> hex();
      default -> throw wrong("unknown escape \\" + c);
    };
  }

  private char hex() {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      int digit = Character.digit(peek(), 16);
      if (digit < 0 || peek() > 'f') {
        throw wrong("\\u without four hexadecimal digits");
      }
      value = value * 16 + digit;
      at++;
    }
    return (char) value;
  }

  private Json.Num number() {
    Matcher found = NUMBER.matcher(text).region(at, text.length());
    if (!found.lookingAt()) {
      throw wrong("no value");
    }
    at = found.end();
    return new Json.Num(found.group());
  }

  private Json word(String word, Json meaning) {
    if (!text.startsWith(word, at)) {
      throw wrong("no value");
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
      throw wrong("expected " + c + ", found " + peek());
    }
    at++;
  }

  private IllegalArgumentException wrong(String why) {
    return new IllegalArgumentException("no JSON: " + why + ", at character " + at);
  }
}
