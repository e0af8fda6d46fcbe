package org.millrace.sim.kotz;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Pattern;
import org.millrace.access.Shape;
import org.millrace.access.Spread;

/**
 * One of the 36 access patterns: a matrix in row-major order, distributed over the processes as in
 * HPF, read or written. Immutable.
 *
 * <p>With one letter the matrix is a row of elements: not distributed at all (N: process 0 has it),
 * in blocks (B), in turn (C). With two letters the first is about rows and the second about
 * columns, over a grid of processes that is as square as can be.
 *
 * @param write whether it is written
 * @param letters how it is dealt out
 * @param element bytes of an element
 */
public record AccessPattern(boolean write, String letters, int element) {

  /** Bytes of the paper's file. */
  public static final long FILE_BYTES = 10L << 20;

  /** Bytes of a block of the file system, and of a large element. */
  public static final int BLOCK = 8 << 10;

  /** Bytes of a small element. */
  public static final int SMALL = Long.BYTES;

  private static final List<String> LETTERS =
      List.of("n", "b", "c", "nb", "bb", "cb", "bc", "cc", "cn");

  /** Checks that there is such a pattern. */
  public AccessPattern {
    if (!LETTERS.contains(letters) || (element != SMALL && element != BLOCK)) {
      throw new IllegalArgumentException(
          "no pattern " + letters + " of elements of " + element + " bytes");
    }
  }

  /** All 36. */
  public static List<AccessPattern> all() {
    List<AccessPattern> all = new ArrayList<>();
    for (int element : new int[] {BLOCK, SMALL}) {
      for (String letters : LETTERS) {
        all.add(new AccessPattern(false, letters, element));
        all.add(new AccessPattern(true, letters, element));
      }
    }
    return List.copyOf(all);
  }

  /** The four that stand for all: easy and hard, read and written. */
  public static List<AccessPattern> representative() {
    return List.of(
        new AccessPattern(false, "c", BLOCK),
        new AccessPattern(true, "c", BLOCK),
        new AccessPattern(false, "bc", SMALL),
        new AccessPattern(true, "bc", SMALL));
  }

  /** Its name in the papers, with the size of its elements: {@code rbc 8 B}. */
  public String name() {
    return (write ? "w" : "r") + letters + (element == SMALL ? " 8 B" : " 8 KB");
  }

  /** Easy, hard or neither, in the words of the tables. */
  public String role() {
    int place = representative().indexOf(this);
    if (place < 0) {
      return "";
    }
    return (place < 2 ? "easy " : "hard ") + (write ? "write" : "read");
  }

  /** Whether each process has elements that are single and small: each a request of its own. */
  public boolean isHard() {
    return element == SMALL && letters.endsWith("c");
  }

  /** Which bytes of a file of {@code fileBytes} are a process's. */
  public Pattern part(int process, int processes, long fileBytes) {
    long elements = fileBytes / element;
    if (letters.length() == 1) {
      if (letters.equals("n")) {
        return process == 0 ? Pattern.run(elements * element) : Pattern.EMPTY;
      }
      Grid row = Grid.of(processes);
      return Distribution.of(Shape.rowMajor(elements), row, spread(letters.charAt(0)))
          .part(process, element);
    }
    long columns = Long.highestOneBit((long) Math.sqrt((double) elements));
    Shape shape = Shape.rowMajor(elements / columns, columns);
    return Distribution.of(
            shape, grid(processes), spread(letters.charAt(0)), spread(letters.charAt(1)))
        .part(process, element);
  }

  private Grid grid(int processes) {
    if (letters.charAt(0) == 'n') {
      return Grid.of(1, processes);
    }
    return letters.charAt(1) == 'n' ? Grid.of(processes, 1) : Grid.balanced(processes, 2);
  }

  private static Spread spread(char letter) {
    return switch (letter) {
      case 'n' -> Spread.none();
      case 'b' -> Spread.block();
      case 'c' -> Spread.cyclic();
      default -> throw new IllegalArgumentException("no distribution " + letter);
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
