package org.millrace.output.site;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The lines of one item of a list, without its mark and indentation. Immutable.
 *
 * @param lines what is inside: paragraphs, code, further lists
 * @param isTight whether no empty line is among them
 * @param end the first line behind it
 */
record ListItem(List<String> lines, boolean isTight, int end) {

  private static final Pattern MARK = Pattern.compile(" *([-*]|\\d+\\.) +");

  /** The item at line {@code from}, whose mark has this indentation. */
  static ListItem at(List<String> lines, int from, int indent) {
    String first = lines.get(from);
    Matcher mark = MARK.matcher(first);
    int text = mark.lookingAt() ? mark.end() : indent;
    List<String> inside = new ArrayList<>(List.of(first.substring(text)));
    boolean tight = true;
    int at = from + 1;
    while (at < lines.size()) {
      String line = lines.get(at);
      int spaces = line.length() - line.stripLeading().length();
      if (line.isBlank()) {
        if (at + 1 >= lines.size() || !isInside(lines.get(at + 1), indent)) {
          break;
        }
        tight = false;
        inside.add("");
      } else if (spaces > indent || isLazy(line)) {
        inside.add(line.substring(Math.min(spaces, text)));
      } else {
        break;
      }
      at++;
    }
    while (at < lines.size() && lines.get(at).isBlank()) { // between items
      at++;
    }
    return new ListItem(List.copyOf(inside), tight, at);
  }

  private static boolean isInside(String line, int indent) {
    return !line.isBlank() && line.length() - line.stripLeading().length() > indent;
  }

  /** A line of the item's paragraph that is not indented. */
  private static boolean isLazy(String line) {
    return !line.isBlank() && !line.matches("( *([-*]|\\d+\\.) .*|#.*|```.*|\\|.*|>.*)");
  }
}
