package org.millrace.cli.tree;

import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A change of mode bits as chmod takes it: octal digits, or clauses such as {@code u+x}, {@code
 * go-w}, {@code a=rX}. Immutable.
 */
public final class ModeChange {

  private static final Pattern OCTAL = Pattern.compile("[0-7]{1,4}");
  private static final Pattern CLAUSE = Pattern.compile("([ugoa]*)((?:[-+=](?:[ugo]|[rwxXst]*))+)");
  private static final Pattern ACTION = Pattern.compile("([-+=])([ugo]|[rwxXst]*)");

  private static final int ALL = 07777;
  private static final int EXECUTE = 0111;
  private static final int STICKY = 01000;

  /** One action of a clause. */
  private record Action(int who, char how, String what) {

    int apply(int mode, boolean directory) {
      int bits = bits(mode, directory);
      return switch (how) {
        case '+' -> mode | bits;
        case '-' -> mode & ~bits;
        default -> mode & ~who | bits;
      };
    }

    private int bits(int mode, boolean directory) {
      int bits = 0;
      for (int i = 0; i < what.length(); i++) {
        bits |=
            switch (what.charAt(i)) {
              case 'r' -> 0444;
              case 'w' -> 0222;
              case 'x' -> EXECUTE;
              case 'X' -> directory || (mode & EXECUTE) != 0 ? EXECUTE : 0;
              case 's' -> 06000;
              case 't' -> STICKY;
              case 'u' -> (mode >> 6 & 7) * EXECUTE;
              case 'g' -> (mode >> 3 & 7) * EXECUTE;
              default -> (mode & 7) * EXECUTE;
            };
      }
      return bits & (who | bits & STICKY);
    }
  }

  private final List<Action> actions;
  private final IntUnaryOperator first;

  private ModeChange(IntUnaryOperator first, List<Action> actions) {
    this.first = first;
    this.actions = actions;
  }

  /**
   * Reads a change.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static ModeChange parse(String text) {
    if (OCTAL.matcher(text).matches()) {
      int bits = Integer.parseInt(text, 8);
      return new ModeChange(_ -> bits, List.of());
    }
    return new ModeChange(
        mode -> mode, Stream.of(text.split(",", -1)).flatMap(ModeChange::clause).toList());
  }

  private static Stream<Action> clause(String text) {
    Matcher clause = CLAUSE.matcher(text);
    if (!clause.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is no mode: use octal digits such as 644, or clauses such as u+x,go-w");
    }
    int who = who(clause.group(1));
    return ACTION
        .matcher(clause.group(2))
        .results()
        .map(one -> new Action(who, one.group(1).charAt(0), one.group(2)));
  }

  private static int who(String letters) {
    int who = 0;
    for (int i = 0; i < letters.length(); i++) {
      who |=
          switch (letters.charAt(i)) {
            case 'u' -> 04700;
            case 'g' -> 02070;
            case 'o' -> 0007;
            default -> ALL;
          };
    }
    return who == 0 ? ALL : who;
  }

  /** The bits afterwards. */
  public int apply(int mode, boolean directory) {
    int now = first.applyAsInt(mode);
    for (Action one : actions) {
      now = one.apply(now, directory);
    }
    return now & ALL;
  }
}
