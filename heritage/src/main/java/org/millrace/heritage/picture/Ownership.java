package org.millrace.heritage.picture;

import java.util.Arrays;
import java.util.List;
import org.millrace.access.Runs;
import org.millrace.access.View;
import org.millrace.output.Paint;
import org.millrace.output.Svg;

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

  private final int[] owners;
  private final int ranks;
  private final long unitBytes;

  private Ownership(int[] owners, int ranks, long unitBytes) {
    this.owners = owners;
    this.ranks = ranks;
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
    return new Ownership(owners, views.size(), unitBytes);
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

  /** A picture with rows of {@code columns} squares. */
  public Svg picture(String title, int columns) {
    int size = 20;
    int rows = Math.ceilDiv(owners.length, columns);
    Svg svg = new Svg(Math.max(columns * size, 360) + 8, rows * size + 28);
    String unit = "; a square is %s byte%s".formatted(unitBytes, unitBytes == 1 ? "" : "s");
    svg.text(4, 16, Svg.Anchor.START, Paint.TEXT, title + unit);
    for (int i = 0; i < owners.length; i++) {
      int x = 4 + i % columns * size;
      int y = 24 + i / columns * size;
      svg.rect(x, y, size - 1, size - 1, paint(owners[i]));
      svg.text(x + size / 2.0, y + 14, Svg.Anchor.MIDDLE, Paint.ON_COLOUR, label(owners[i]));
    }
    return svg;
  }

  private static String label(int owner) {
    return owner >= 0 ? Integer.toString(owner) : owner == SEVERAL ? "*" : "";
  }

  private Paint paint(int owner) {
    return switch (owner) {
      case NOBODY -> Paint.PLAIN.pale();
      case SEVERAL -> Paint.PLAIN;
      default -> Paint.owner(owner, ranks);
    };
  }
}
