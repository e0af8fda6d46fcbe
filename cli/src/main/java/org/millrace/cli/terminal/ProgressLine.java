package org.millrace.cli.terminal;

import java.util.List;
import java.util.Locale;

/**
 * How far a job is, as one line for a terminal. Immutable.
 *
 * @param label what is done
 * @param name what it is done to at the moment; empty if the label says all
 * @param unit what is counted
 * @param done how much of it
 * @param total how much there is; 0 if nobody knows
 * @param elapsedNanos since the begin
 * @param perSecond how much was done in a second, lately
 */
record ProgressLine(
    String label,
    String name,
    Unit unit,
    long done,
    long total,
    long elapsedNanos,
    double perSecond) {

  /** What is counted. */
  enum Unit {
    /** Bytes, in binary units and with a rate. */
    BYTES,
    /** Anything else. */
    STEPS
  }

  private static final int SHORTEST_BAR = 10;
  private static final int LONGEST_BAR = 40;
  private static final int SHORTEST_NAME = 8;
  private static final String CUT = "...";

  /**
   * The line for a terminal of the given width. It leaves the last column free, because some
   * terminals wrap when it is filled. What does not fit is left out: the bar first, then most of
   * the name, the rate, the amounts, and the percentage last.
   */
  String shown(int columns) {
    int room = columns - 1;
    String all = " " + joined("  ", List.of(percent(), amounts(), rate(), left()));
    for (int names : new int[] {name.length(), SHORTEST_NAME}) {
      String head = head(names);
      int bar = Math.min(LONGEST_BAR, room - head.length() - all.length() - 4);
      if (total > 0 && bar >= SHORTEST_BAR) {
        int full = (int) ((double) bar * done / total);
        return head + " [" + "#".repeat(full) + ".".repeat(bar - full) + "] " + all.substring(1);
      }
    }
    String few = " " + joined(" ", List.of(percent(), amounts()));
    for (String line :
        List.of(
            head(name.length()) + all,
            head(SHORTEST_NAME) + all,
            head(SHORTEST_NAME) + few,
            label + " " + percent(),
            percent())) {
      if (line.length() <= room) {
        return line;
      }
    }
    return "";
  }

  private String head(int letters) {
    if (name.isEmpty()) {
      return label;
    }
    String plain = Shown.text(name);
    boolean fits = plain.length() <= letters;
    return label + " " + (fits ? plain : CUT + plain.substring(plain.length() - letters));
  }

  private String percent() {
    // in doubles, because a hundred times a long may be none
    return total == 0 ? "" : String.format(Locale.ROOT, "%3d %%", (int) (100.0 * done / total));
  }

  private String amounts() {
    if (unit == Unit.STEPS) {
      return total == 0 ? Long.toString(done) : done + "/" + total;
    }
    return Shown.bytes(done) + (total == 0 ? "" : "/" + Shown.bytes(total));
  }

  private String rate() {
    return unit == Unit.BYTES && perSecond > 0 ? Shown.bytes(perSecond) + "/s" : "";
  }

  /** By the speed so far; how long it took already where nobody knows how much there is. */
  private String left() {
    if (total == 0) {
      return span(elapsedNanos / 1e9);
    }
    return done == 0 || done == total
        ? ""
        : span(elapsedNanos / 1e9 * (total - done) / done) + " left";
  }

  private static String span(double seconds) {
    long whole = Math.round(seconds);
    if (whole < 60) {
      return whole + " s";
    }
    return whole < 3600
        ? String.format(Locale.ROOT, "%s:%02d min", whole / 60, whole % 60)
        : String.format(Locale.ROOT, "%s:%02d h", whole / 3600, whole / 60 % 60);
  }

  private static String joined(String between, List<String> words) {
    return String.join(between, words.stream().filter(one -> !one.isEmpty()).toList());
  }
}
