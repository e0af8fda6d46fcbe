package org.millrace.array;

import java.util.ArrayList;
import java.util.List;

/**
 * A strict reader of the few Python literals in headers of {@code .npy} files: strings, tuples of
 * whole numbers, and punctuation. Everything else is an error that names the position.
 *
 * <p>Belongs to one thread.
 */
final class PythonReader {

  private static final int MAX_DIMENSIONS = 64;

  // constant after construction
  private final String text;
  private final int base;

  // owned by the thread that reads
  private int at;

  /**
   * @param text the literal
   * @param base at which byte of the file it begins
   */
  PythonReader(String text, int base) {
    this.text = text;
    this.base = base;
  }

  /** Where the next literal begins. */
  int mark() {
    skipSpace();
    return at;
  }

  /** Goes back to a mark, so that an error names it. */
  void backTo(int mark) {
    at = mark;
  }

  /** The text since a mark. */
  String since(int mark) {
    return text.substring(mark, at);
  }

  boolean isAt(char wanted) {
    skipSpace();
    return at < text.length() && text.charAt(at) == wanted;
  }

  boolean isAtEnd() {
    skipSpace();
    return at >= text.length();
  }

  boolean tryTake(char wanted) {
    boolean there = isAt(wanted);
    if (there) {
      at++;
    }
    return there;
  }

  boolean tryTake(String word) {
    skipSpace();
    boolean there = text.startsWith(word, at);
    if (there) {
      at += word.length();
    }
    return there;
  }

  void expect(char wanted) {
    if (!tryTake(wanted)) {
      throw wrong("no '" + wanted + "'");
    }
  }

  /** A string in either kind of quotes, as it is written between them: escapes stay escapes. */
  String string() {
    skipSpace();
    char quote = at < text.length() ? text.charAt(at) : ' ';
    if (quote != '\'' && quote != '"') {
      throw wrong("no string");
    }
    int end = at + 1;
    while (end < text.length() && text.charAt(end) != quote) {
      end += text.charAt(end) == '\\' ? 2 : 1;
    }
    if (end >= text.length()) {
      throw wrong("a string without end");
    }
    String found = text.substring(at + 1, end);
    at = end + 1;
    return found;
  }

  /** A tuple of numbers from 0 on; {@code (n)} alone is none. */
  List<Long> tuple() {
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
    if (numbers.size() > MAX_DIMENSIONS) {
      throw wrong(numbers.size() + " dimensions, at most " + MAX_DIMENSIONS + " are possible");
    }
    return numbers;
  }

  private long number() {
    skipSpace();
    int from = at;
    if (isAt('-')) {
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

  private void skipSpace() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("byte " + (base + at) + " of the header: " + what);
  }
}
