package org.millrace.cli.tree;

import java.util.regex.Pattern;

/**
 * A pattern for one name, as shells have them: {@code *} for any letters, {@code ?} for one, {@code
 * [a-z]} and {@code [!a-z]} for one of a set, a backslash in front of a letter that stands for
 * itself. Names with a dot in front are matched only by patterns with one. Immutable.
 */
public final class NamePattern {

  private static final String SPECIAL = "*?[";

  private final Pattern pattern;

  private NamePattern(Pattern pattern) {
    this.pattern = pattern;
  }

  /** Whether a word is more than a plain name. */
  public static boolean isPattern(String word) {
    return word.chars().anyMatch(c -> SPECIAL.indexOf(c) >= 0);
  }

  /** The pattern that a shell would see in {@code word}. */
  public static NamePattern of(String word) {
    StringBuilder regex = new StringBuilder(word.startsWith(".") ? "" : "(?!\\.)");
    return new NamePattern(Pattern.compile(translated(word, regex), Pattern.DOTALL));
  }

  /** As {@link #of}, for names with or without a dot in front. */
  public static NamePattern ofAny(String word) {
    return new NamePattern(Pattern.compile(translated(word, new StringBuilder()), Pattern.DOTALL));
  }

  /** Whether a name, without the way to it, is one of these. */
  public boolean matches(String name) {
    return pattern.matcher(name).matches();
  }

  private static String translated(String word, StringBuilder regex) {
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      int end = c == '[' ? endOfSet(word, i) : -1;
      if (c == '*') {
        regex.append(".*");
      } else if (c == '?') {
        regex.append('.');
      } else if (end > 0) {
        regex.append(set(word.substring(i + 1, end)));
        i = end;
      } else if (c == '\\' && i + 1 < word.length()) {
        regex.append(Pattern.quote(word.substring(i + 1, i + 2)));
        i++;
      } else {
        regex.append(Pattern.quote(String.valueOf(c)));
      }
    }
    return regex.toString();
  }

  /** Where the set ends that begins at {@code open}; -1 if it does not, and is a plain bracket. */
  private static int endOfSet(String word, int open) {
    int first = open + 1;
    if (first < word.length() && "!^".indexOf(word.charAt(first)) >= 0) {
      first++;
    }
    return word.indexOf(']', first + 1); // a bracket that comes first belongs to the set
  }

  private static String set(String inside) {
    boolean negated = inside.startsWith("!") || inside.startsWith("^");
    StringBuilder set = new StringBuilder(negated ? "[^" : "[");
    for (char c : inside.substring(negated ? 1 : 0).toCharArray()) {
      set.append(c == '-' || Character.isLetterOrDigit(c) ? "" : "\\").append(c);
    }
    return set.append(']').toString();
  }
}
