package org.millrace.cli.explain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Distribution;
import org.millrace.access.Geometry;
import org.millrace.access.Grid;
import org.millrace.access.Order;
import org.millrace.access.Pattern;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;

/**
 * Parses the requests of ranks for an array from command line arguments. Wrong arguments throw
 * IllegalArgumentException with a message that says what is allowed. Immutable.
 */
record Requests(Geometry array, int ranks) {

  private static final java.util.regex.Pattern MOVED =
      java.util.regex.Pattern.compile("([^+]*)(?:\\+(\\d{1,18})\\*?p)?");

  private static final java.util.regex.Pattern SPREAD =
      java.util.regex.Pattern.compile("(block|cyclic)(?:\\((\\d{1,18})\\))?");

  private Shape shape() {
    return array.shape();
  }

  private int elementBytes() {
    return array.elementBytes();
  }

  /** Dimensions with an x between them. */
  static Shape shape(String text, Order order) {
    try {
      List<Long> dims =
          Arrays.stream(text.split("x", -1)).map(one -> Long.parseLong(one.strip())).toList();
      return new Shape(dims, order);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "--shape " + text + ": give the dimensions with x between them, as 4096x4096", e);
    }
  }

  /** A positive number of bytes, with K, M or G. */
  static long size(String option, String text) {
    String number = text.strip();
    int shift = 10 * ("KMG".indexOf(Character.toUpperCase(last(number))) + 1);
    String digits = shift == 0 ? number : number.substring(0, number.length() - 1);
    try {
      long value = Long.parseLong(digits);
      if (value > 0 && value <= Long.MAX_VALUE >> shift) {
        return value << shift;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(badSize(option, text), e);
    }
    throw new IllegalArgumentException(badSize(option, text));
  }

  private static char last(String text) {
    return text.isEmpty() ? ' ' : text.charAt(text.length() - 1);
  }

  private static String badSize(String option, String text) {
    return option + " " + text + ": give a number of bytes from 1 on, as 65536, 64K, 4M or 1G";
  }

  /** Each rank's part of the array. */
  List<Access> distributed(String words, @Nullable String gridWords) {
    Spread[] spreads = Arrays.stream(words.split(",", -1)).map(this::spread).toArray(Spread[]::new);
    if (spreads.length != shape().dimensions()) {
      throw new IllegalArgumentException(
          "--dist %s: the array has %s dimensions, give a word for each"
              .formatted(words, shape().dimensions()));
    }
    Grid grid = gridWords == null ? balanced(spreads) : grid(gridWords);
    if (grid.ranks() != ranks) {
      throw new IllegalArgumentException(
          "--grid %s has %s places for %s ranks; give --ranks %s or another grid"
              .formatted(gridWords, grid.ranks(), ranks, grid.ranks()));
    }
    Distribution parts = Distribution.of(shape(), grid, spreads);
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      accesses.add(access(parts.part(rank, elementBytes())));
    }
    return accesses;
  }

  private Spread spread(String word) {
    String plain = word.strip();
    if (plain.equals("none") || plain.equals("*")) {
      return Spread.none();
    }
    Matcher match = SPREAD.matcher(plain);
    if (!match.matches()) {
      throw new IllegalArgumentException(
          "--dist: '" + word + "' is none of block, block(N), cyclic, cyclic(N), none");
    }
    boolean block = match.group(1).equals("block");
    if (match.group(2) == null) {
      return block ? Spread.block() : Spread.cyclic();
    }
    long size = Long.parseLong(match.group(2));
    return block ? Spread.block(size) : Spread.blockCyclic(size);
  }

  /** As square as can be over the dimensions that are dealt out. */
  private Grid balanced(Spread[] spreads) {
    long dealt = Arrays.stream(spreads).filter(one -> !(one instanceof Spread.None)).count();
    if (dealt == 0 && ranks > 1) {
      throw new IllegalArgumentException(
          "--dist deals nothing out to %s ranks; give one dimension block or cyclic"
              .formatted(ranks));
    }
    Grid square = Grid.balanced(ranks, (int) Math.max(1, dealt));
    int[] dims = new int[spreads.length];
    int next = 0;
    for (int i = 0; i < dims.length; i++) {
      dims[i] = spreads[i] instanceof Spread.None ? 1 : square.dimension(next++);
    }
    return Grid.of(dims);
  }

  private static Grid grid(String words) {
    try {
      return Grid.of(
          Arrays.stream(words.split("x", -1))
              .mapToInt(one -> Integer.parseInt(one.strip()))
              .toArray());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "--grid " + words + ": give the ranks along each dimension, as 4x4", e);
    }
  }

  /** A section for all, moved by a multiple of the rank's number. */
  List<Access> moved(String option, String words) {
    String[] dims = words.split(",", -1);
    List<Range> ranges = new ArrayList<>();
    List<Long> moves = new ArrayList<>();
    for (String one : dims) {
      Matcher match = MOVED.matcher(one.replace(" ", ""));
      if (!match.matches()) {
        throw new IllegalArgumentException(
            option + ": '" + one + "' is not l:u, l:u:s or l:u:s+v*p");
      }
      ranges.add(Range.parse(match.group(1)));
      moves.add(match.group(2) == null ? 0 : Long.parseLong(match.group(2)));
    }
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      List<Range> own = new ArrayList<>();
      for (int i = 0; i < ranges.size(); i++) {
        own.add(moved(ranges.get(i), Math.multiplyExact(moves.get(i), (long) rank)));
      }
      accesses.add(access(new Section(own).in(shape(), elementBytes())));
    }
    return accesses;
  }

  private static Range moved(Range range, long by) {
    return range.isEmpty()
        ? range
        : new Range(
            Math.addExact(range.lower(), by), Math.addExact(range.upper(), by), range.stride());
  }

  private Access access(Pattern part) {
    return part.size() == 0 ? Access.NOTHING : new Access(array.view(part), 0, part.size());
  }
}
