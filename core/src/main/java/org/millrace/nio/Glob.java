package org.millrace.nio;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Patterns of file names, as {@link java.nio.file.FileSystem#getPathMatcher} describes them, as
 * regular expressions. Used by one thread.
 */
final class Glob {

  private static final String SPECIAL = "\\^$.|+()[]{}*?";

  private final String glob;
  private final StringBuilder out = new StringBuilder();
  private int at;
  private boolean inGroup;

  private Glob(String glob) {
    this.glob = glob;
  }

  static Pattern compile(String glob) {
    Glob reader = new Glob(glob);
    while (reader.at < glob.length()) {
      reader.next();
    }
    if (reader.inGroup) {
      throw reader.wrong("the group { has no }");
    }
    return Pattern.compile(reader.out.toString(), Pattern.DOTALL);
  }

  private void next() {
    char c = glob.charAt(at++);
    switch (c) {
      case '\\' -> {
        if (at == glob.length()) {
          throw wrong("nothing follows \\");
        }
        literal(glob.charAt(at++));
      }
      case '*' -> {
        boolean deep = at < glob.length() && glob.charAt(at) == '*';
        at += deep ? 1 : 0;
        out.append(deep ? ".*" : "[^/]*");
      }
      case '?' -> out.append("[^/]");
      case '[' -> characters();
      case '{' -> {
        if (inGroup) {
          throw wrong("groups cannot be within groups");
        }
        inGroup = true;
        out.append("(?:(?:");
      }
      case '}' -> {
        out.append(inGroup ? "))" : "\\}");
        inGroup = false;
      }
      case ',' -> out.append(inGroup ? ")|(?:" : ",");
      default -> literal(c);
    }
  }

  private void characters() {
    out.append("[[^/]&&[");
    if (at < glob.length() && (glob.charAt(at) == '!' || glob.charAt(at) == '^')) {
      out.append(glob.charAt(at) == '!' ? "^" : "\\^");
      at++;
    }
    boolean first = true;
    while (at < glob.length() && glob.charAt(at) != ']') {
      char c = glob.charAt(at++);
      if (c == '/') {
        throw wrong("/ is not possible within []");
      }
      boolean range = c == '-' && !first && at < glob.length() && glob.charAt(at) != ']';
      out.append(range || Character.isLetterOrDigit(c) ? "" : "\\").append(c);
      first = false;
    }
    if (at == glob.length()) {
      throw wrong("the bracket [ has no ]");
    }
    at++;
    out.append("]]");
  }

  private void literal(char c) {
    out.append(SPECIAL.indexOf(c) >= 0 ? "\\" : "").append(c);
  }

  private PatternSyntaxException wrong(String why) {
    return new PatternSyntaxException(why, glob, at - 1);
  }
}
