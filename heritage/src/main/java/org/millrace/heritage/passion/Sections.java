package org.millrace.heritage.passion;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;

/**
 * Sections as PASSION names them: {@code l:u:s} for each dimension in global coordinates, counted
 * from 1 as in Fortran, bounds included. Those of {@code org.millrace.access} count from 0; this
 * class stands between. Stateless.
 */
public final class Sections {

  private Sections() {}

  /**
   * Reads {@code 1:100:1, 1:50:2}, with or without parentheses. {@code l} stands for one index,
   * {@code l:u} for stride 1, an upper bound below the lower one for nothing.
   */
  public static Section parse(String text) {
    String inside = text.strip().replaceFirst("^\\((.*)\\)$", "$1");
    return new Section(
        Arrays.stream(inside.split(",", -1)).map(one -> range(numbers(one, text))).toList());
  }

  /** As {@link #parse(String)}, of an array of this shape. */
  static Section parse(String text, Shape shape) {
    return inside(parse(text), shape);
  }

  /**
   * The section if an array has it.
   *
   * @throws IndexOutOfBoundsException if not; counts from 1
   */
  static Section inside(Section section, Shape shape) {
    if (section.dimensions() != shape.dimensions()) {
      throw new IllegalArgumentException(
          "section %s has %s dimensions, the array %s"
              .formatted(text(section), section.dimensions(), shape.dimensions()));
    }
    for (int d = 0; d < shape.dimensions(); d++) {
      Range range = section.range(d);
      if (!range.isEmpty() && range.upper() >= shape.dimension(d)) {
        throw new IndexOutOfBoundsException(
            "section %s ends at index %s of dimension %s, the array at %s"
                .formatted(text(section), range.upper() + 1, d + 1, shape.dimension(d)));
      }
    }
    return section;
  }

  private static long[] numbers(String range, String text) {
    String[] words = range.split(":", -1);
    try {
      long lower = Long.parseLong(words[0].strip());
      return switch (words.length) {
        case 1 -> new long[] {lower, lower, 1};
        case 2 -> new long[] {lower, Long.parseLong(words[1].strip()), 1};
        case 3 ->
            new long[] {lower, Long.parseLong(words[1].strip()), Long.parseLong(words[2].strip())};
        default -> throw new IllegalArgumentException("section '" + text + "' is not l:u:s, ...");
      };
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("section '" + text + "' is not l:u:s, ...", e);
    }
  }

  /** The section of {@code l1, u1, s1, l2, u2, s2, ...}. */
  public static Section of(long... bounds) {
    if (bounds.length == 0 || bounds.length % 3 != 0) {
      throw new IllegalArgumentException(
          bounds.length + " numbers are no l, u, s for each dimension");
    }
    List<Range> ranges = new ArrayList<>();
    for (int i = 0; i < bounds.length; i += 3) {
      ranges.add(range(Arrays.copyOfRange(bounds, i, i + 3)));
    }
    return new Section(ranges);
  }

  /** No element of an array of so many dimensions: what a processor asks for that needs none. */
  public static Section nothing(int dimensions) {
    return new Section(Collections.nCopies(dimensions, Range.EMPTY));
  }

  private static Range range(long... lus) {
    if (lus[0] < 1) {
      throw new IllegalArgumentException("lower bound " + lus[0] + ": indices begin with 1");
    }
    if (lus[2] < 1) {
      throw new IllegalArgumentException("stride " + lus[2] + ", must be at least 1");
    }
    return new Range(lus[0] - 1, lus[1] - 1, lus[2]);
  }

  /** As PASSION's paper writes it: {@code (1:100:1, 1:50:2)}. */
  public static String text(Section section) {
    return section.ranges().stream()
        .map(range -> (range.lower() + 1) + ":" + (range.upper() + 1) + ":" + range.stride())
        .collect(Collectors.joining(", ", "(", ")"));
  }
}
