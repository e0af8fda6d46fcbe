package org.millrace.heritage.program;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.millrace.access.View;
import org.millrace.client.Rank;
import org.millrace.heritage.picture.Ownership;

/**
 * Where a {@link HeritageProgram} speaks: rank 0 prints for all, checks are the group's.
 *
 * <p>Belongs to the rank's thread.
 */
public final class Stage {

  /** Where pictures and lines go; only rank 0's is used. */
  public interface Output {

    /** Prints a line. */
    void line(String text);

    /** Keeps a picture, if files were asked for. */
    void picture(String title, String svg) throws IOException;
  }

  // constant after construction
  private final Rank rank;
  private final Output output;

  // the rank's thread
  private int checks;

  /** A stage for one rank. */
  public Stage(Rank rank, Output output) {
    this.rank = rank;
    this.output = output;
  }

  /** Prints a line, on rank 0. */
  @FormatMethod
  public void say(@FormatString String format, Object... arguments) {
    if (rank.number() == 0) {
      output.line(String.format(Locale.ROOT, format, arguments));
    }
  }

  /**
   * Draws which rank sees which unit, on rank 0.
   *
   * @param views of all ranks, by number
   * @param units how many units to draw
   * @param unitBytes bytes that are drawn as one
   * @param columns units in a row
   */
  public void draw(String title, List<View> views, int units, long unitBytes, int columns)
      throws IOException {
    if (rank.number() != 0) {
      return;
    }
    Ownership ownership = Ownership.of(views, units, unitBytes);
    output.line(title + ":");
    ownership.text(columns).lines().forEach(line -> output.line("  " + line));
    output.picture(title, ownership.picture(title, columns).file());
  }

  /**
   * Checks something on all ranks. Synchronizing.
   *
   * @throws IOException on all ranks, with the numbers of those where it is not so
   */
  public void check(String what, boolean isSo) throws IOException {
    List<Long> all = rank.allGather(isSo ? 1 : 0);
    checks++;
    if (all.contains(0L)) {
      StringBuilder wrong = new StringBuilder();
      for (int r = 0; r < all.size(); r++) {
        wrong.append(all.get(r) == 0 ? " " + r : "");
      }
      throw new IOException("not so on rank" + wrong + ": " + what);
    }
    say("  checked: %s", what);
  }

  /** How many checks there were. */
  public int checks() {
    return checks;
  }
}
