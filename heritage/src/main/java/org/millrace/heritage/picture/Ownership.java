package org.millrace.heritage.picture;

import java.util.Arrays;
import java.util.List;
import org.millrace.access.Runs;
import org.millrace.access.View;

/**
 * Which rank sees which units of a file: each unit is drawn as the number of its rank.
 *
 * <pre>
 *   0011..    rank 0 sees units 0 and 1, nobody sees unit 4
 *   2*33..    several ranks see unit 7
 * </pre>
 *
 * <p>Immutable; safe for any number of threads.
 */
public final class Ownership {

  private static final int NOBODY = -1;
  private static final int SEVERAL = -2;
  private static final String DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
  private static final String[] COLORS = {
    "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#9c755f"
  };

  private final int[] owners;
  private final long unitBytes;

  private Ownership(int[] owners, long unitBytes) {
    this.owners = owners;
    this.unitBytes = unitBytes;
  }

  /**
   * The first {@code units} units of a file as ranks see them. A unit counts as seen if any byte of
   * it is.
   *
   * @param views of the ranks, by number
   * @param unitBytes bytes that are drawn as one
   */
  public static Ownership of(List<View> views, int units, long unitBytes) {
    if (units < 1 || unitBytes < 1) {
      throw new IllegalArgumentException(
          "a picture of " + units + " units of " + unitBytes + " bytes");
    }
    int[] owners = new int[units];
    Arrays.fill(owners, NOBODY);
    for (int rank = 0; rank < views.size(); rank++) {
      mark(owners, unitBytes, views.get(rank), rank);
    }
    return new Ownership(owners, unitBytes);
  }

  private static void mark(int[] owners, long unitBytes, View view, int rank) {
    if (view.isEmpty()) {
      return;
    }
    long end = owners.length * unitBytes;
    long extent = Math.max(1, view.tileExtent());
    long tiles = view.tileExtent() == 0 ? 1 : end / extent + 1;
    Runs runs = view.runs(0, tiles * view.tile().size(), 0, end);
    while (runs.next()) {
      for (long i = 0; i < runs.count(); i++) { // a comb of equal runs
        long from = runs.offset() + i * runs.stride();
        markRun(owners, from / unitBytes, (from + runs.length() - 1) / unitBytes, rank);
      }
    }
  }

  private static void markRun(int[] owners, long first, long last, int rank) {
    for (long unit = first; unit <= last; unit++) {
      int before = owners[(int) unit];
      owners[(int) unit] = before == NOBODY || before == rank ? rank : SEVERAL;
    }
  }

  /** The rank that alone sees a unit; negative if nobody does or several do. */
  public int owner(int unit) {
    return owners[unit];
  }

  /** Rows of {@code columns} characters, each ended by a line feed. */
  public String text(int columns) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < owners.length; i++) {
      text.append(character(owners[i]));
      if ((i + 1) % columns == 0 || i + 1 == owners.length) {
        text.append('\n');
      }
    }
    return text.toString();
  }

  private static char character(int owner) {
    return switch (owner) {
      case NOBODY -> '.';
      case SEVERAL -> '*';
      default -> DIGITS.charAt(owner % DIGITS.length());
    };
  }

  /** A standalone SVG with rows of {@code columns} squares. */
  public String svg(String title, int columns) {
    int size = 20;
    int rows = Math.ceilDiv(owners.length, columns);
    StringBuilder svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif">
        <rect width="100%%" height="100%%" fill="#fff"/>
        <text x="4" y="16" font-size="13">%s; a square is %d byte%s</text>
        """
            .formatted(
                Math.max(columns * size, 360) + 8,
                rows * size + 28,
                escaped(title),
                unitBytes,
                unitBytes == 1 ? "" : "s"));
    for (int i = 0; i < owners.length; i++) {
      int x = 4 + i % columns * size;
      int y = 24 + i / columns * size;
      svg.append(
          """
          <rect x="%d" y="%d" width="%d" height="%d" fill="%s" stroke="#fff"/>
          <text x="%d" y="%d" font-size="11" fill="#fff" text-anchor="middle">%s</text>
          """
              .formatted(
                  x, y, size, size, color(owners[i]), x + size / 2, y + 14, label(owners[i])));
    }
    return svg.append("</svg>\n").toString();
  }

  private static String label(int owner) {
    return owner >= 0 ? Integer.toString(owner) : owner == SEVERAL ? "*" : "";
  }

  private static String color(int owner) {
    return owner >= 0 ? COLORS[owner % COLORS.length] : owner == SEVERAL ? "#555" : "#ddd";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
