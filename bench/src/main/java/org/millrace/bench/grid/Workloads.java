package org.millrace.bench.grid;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.bench.grid.ArraySlice.Axis;
import org.millrace.bench.grid.Workload.Ops;
import org.millrace.bench.grid.Workload.Part;

/**
 * The access patterns of the papers and of IOR, as values. No state.
 *
 * <p>{@code passion}: sections of a column-major array of 8-byte elements, as Thakur and Choudhary
 * measure them: common ones (their table 1), overlapping ones (the notation of their table 2), and
 * distinct ones, among them the distributions of whole in-core arrays (their figure 2).
 *
 * <p>{@code patterns}: the 36 of Kotz: a matrix in row-major order, distributed as HPF does it, so
 * that the second letter of a name is about elements that are neighbours in the file. NB divides
 * each row; BN would be the same as one-dimensional BLOCK, and NC as CYCLIC, which is why they are
 * not among the nine. NONE in one dimension is not distributed at all: rank 0 has the whole matrix
 * and the others nothing. ALL, where every rank reads everything, is one more, for reading only.
 */
public final class Workloads {

  /** Rows and columns of PASSION's array. */
  public static final int PASSION_EXTENT = 4096;

  /** Kotz's file, and the larger one. */
  public static final long SMALL_BYTES = 10L << 20;

  /** As large as a gigabyte. */
  static final long LARGE_BYTES = 1L << 30;

  /** A transfer of IO500's "hard" runs. */
  static final long IOR_HARD_BYTES = 47_008;

  /** ALL is left out where all ranks together would read more than this. */
  private static final long MAX_BYTES = 4L << 30;

  /** Pieces shorter than this are scattered. */
  private static final long SCATTERED_BYTES = 256 << 10;

  private static final String[] ROMAN = {"I", "II", "III", "IV", "V", "VI"};

  private Workloads() {}

  /** PASSION's sections at full size. */
  public static List<Workload> passion(int ranks) {
    return passion(ranks, PASSION_EXTENT);
  }

  /** The same of an array of {@code extent} rows and columns: 4096 or a fraction by powers of 2. */
  public static List<Workload> passion(int ranks, int extent) {
    Passion passion = new Passion(ranks, extent);
    passion.common();
    passion.overlapping();
    passion.distinct();
    return List.copyOf(passion.all);
  }

  /** Collects sections of one array. Used by one thread. */
  private static final class Passion {

    private final int ranks;
    private final int extent;
    private final List<Workload> all = new ArrayList<>();

    Passion(int ranks, int extent) {
      if (ranks < 1 || extent < ranks || PASSION_EXTENT % extent != 0) {
        throw new IllegalArgumentException(
            extent + " rows for " + ranks + " ranks: must be a fraction of " + PASSION_EXTENT);
      }
      this.ranks = ranks;
      this.extent = extent;
    }

    /** Table 1. Smaller arrays have smaller sections at smaller places. */
    void common() {
      int[][] sections = {
        {1, 100, 1, 100},
        {200, 300, 200, 300},
        {400, 800, 400, 800},
        {32, 64, 128, 1024},
        {1, 16, 1, 4096},
        {1, 4096, 1, 16}
      };
      for (int i = 0; i < sections.length; i++) {
        Axis rows = scaled(sections[i][0], sections[i][1]);
        Axis columns = scaled(sections[i][2], sections[i][3]);
        String name = "common %s (%s, %s)".formatted(ROMAN[i], text(rows), text(columns));
        add(name, true, Ops.READ, p -> slice(rows, columns));
      }
    }

    /** Each rank's section is its neighbour's, moved: by columns, by rows, by both; strided. */
    void overlapping() {
      overlapping(100, 0, 10, 1);
      overlapping(1000, 0, 100, 1);
      overlapping(100, 10, 0, 1);
      overlapping(1000, 100, 0, 1);
      overlapping(1000, 100, 100, 1);
      overlapping(1000, 50, 50, 2);
    }

    private void overlapping(int length, int moveRows, int moveColumns, int step) {
      int side = Math.max(1, length * extent / PASSION_EXTENT);
      int down = move(moveRows, side);
      int right = move(moveColumns, side);
      String suffix = step == 1 ? "" : ":" + step;
      String name =
          "overlap (%s%s, %s%s)".formatted(moved(side, down), suffix, moved(side, right), suffix);
      add(
          name,
          true,
          Ops.READ_AND_WRITE,
          p ->
              slice(
                  Axis.section(1 + (long) down * p, side + (long) down * p, step),
                  Axis.section(1 + (long) right * p, side + (long) right * p, step)));
    }

    /** So far that the last rank's section still lies in the array. */
    private int move(int wanted, int side) {
      int most = ranks == 1 ? 0 : (extent - side) / (ranks - 1);
      return Math.min(most, Math.ceilDiv(wanted * extent, PASSION_EXTENT));
    }

    private static String moved(int side, int by) {
      return by == 0 ? "1:" + side : "1+%sp:%s+%sp".formatted(by, side, by);
    }

    void distinct() {
      Axis all = Axis.all(extent);
      Shares grid = Shares.of(ranks);
      int own = extent / ranks;
      int side = Math.max(1, own / 2);
      distinct(
          "blocks on the diagonal",
          p -> {
            Axis place = new Axis((long) own * p, side, 1);
            return slice(place, place);
          });
      distinct("row-block", p -> slice(Axis.block(extent, ranks, p), all));
      distinct("column-block", p -> slice(all, Axis.block(extent, ranks, p)));
      distinct(
          "block-block",
          p ->
              slice(
                  Axis.block(extent, grid.first, p % grid.first),
                  Axis.block(extent, grid.second, p / grid.first)));
      distinct("row-cyclic", p -> slice(Axis.cyclic(extent, ranks, p), all));
      distinct("row-cyclic by 16", p -> cyclicRows(16, p));
      distinct("column-cyclic", p -> slice(all, Axis.cyclic(extent, ranks, p)));
      distinct(
          "cyclic-cyclic",
          p ->
              slice(
                  Axis.cyclic(extent, grid.first, p % grid.first),
                  Axis.cyclic(extent, grid.second, p / grid.first)));
      distinct(
          "strided 2:2",
          p -> {
            Axis block = Axis.block(extent, ranks, p);
            Axis every = new Axis(block.first(), Math.ceilDiv(block.count(), 2), 2);
            return slice(new Axis(0, Math.ceilDiv(extent, 2), 2), every);
          });
    }

    /** Blocks of so many rows, dealt out. */
    private Part cyclicRows(int wanted, int p) {
      int block = Math.max(1, Math.min(wanted, extent / ranks));
      Axis blocks = Axis.cyclic(extent / block, ranks, p);
      return new ArraySlice((long) Long.BYTES * block, extent / block, blocks, Axis.all(extent))
          .part();
    }

    private void distinct(String name, IntFunction<Part> part) {
      add(name, false, Ops.READ_AND_WRITE, part);
    }

    private Axis scaled(int lower, int upper) {
      int scale = PASSION_EXTENT / extent;
      int first = (lower - 1) / scale;
      return new Axis(first, Math.max(1, (upper - lower + 1) / scale), 1);
    }

    private static String text(Axis axis) {
      return axis.first() + 1 + ":" + (axis.first() + axis.count());
    }

    private Part slice(Axis rows, Axis columns) {
      return new ArraySlice(Long.BYTES, extent, rows, columns)
          .part()
          .in(
              Shape.columnMajor(extent, extent),
              new Section(List.of(rows.range(), columns.range())));
    }

    private void add(String name, boolean shared, Ops ops, IntFunction<Part> part) {
      long bytes = (long) extent * extent * Long.BYTES;
      all.add(workload("passion", name, bytes, shared, ops, ranks, part));
    }
  }

  /** A grid of ranks, as square as can be; the first side is the longer one. */
  private record Shares(int first, int second) {

    static Shares of(int ranks) {
      int first = (int) Math.ceil(Math.sqrt(ranks));
      while (ranks % first != 0) {
        first++;
      }
      return new Shares(first, ranks / first);
    }
  }

  /** Kotz's patterns over a file of about that size, and ALL. */
  public static List<Workload> patterns(int ranks, long bytes) {
    List<Workload> all = new ArrayList<>();
    for (long element : new long[] {Long.BYTES, 8 << 10}) {
      Matrix matrix = Matrix.of(element, bytes, ranks);
      for (String letters : List.of("N", "B", "C", "NB", "BB", "CB", "BC", "CC", "CN")) {
        String name = "%s, %s".formatted(word(letters), text(element));
        all.add(matrix.workload(name, Ops.READ_AND_WRITE, p -> matrix.part(letters, p)));
      }
      if (matrix.bytes() * ranks <= MAX_BYTES) {
        String name = "all, " + text(element);
        all.add(matrix.workload(name, Ops.READ, p -> matrix.part("N", 0)));
      }
    }
    return List.copyOf(all);
  }

  private static String word(String letters) {
    return switch (letters) {
      case "N" -> "none";
      case "B" -> "block";
      case "C" -> "cyclic";
      default -> letters.toLowerCase(Locale.ROOT);
    };
  }

  private static String text(long element) {
    return element < 1024 ? element + " B" : element / 1024 + " KiB";
  }

  /** A row-major matrix of elements, about as wide as high. */
  private record Matrix(int ranks, long element, long rows, long columns) {

    static Matrix of(long element, long bytes, int ranks) {
      long elements = bytes / element;
      if (elements < 1) {
        throw new IllegalArgumentException(bytes + " bytes hold no element of " + element);
      }
      long columns = Long.highestOneBit((long) Math.sqrt((double) elements));
      return new Matrix(ranks, element, elements / columns, columns);
    }

    long bytes() {
      return rows * columns * element;
    }

    Part part(String letters, int p) {
      if (letters.length() == 1) {
        long all = rows * columns;
        Axis axis = letters.equals("N") ? none(all, p) : axis(letters.charAt(0), all, ranks, p);
        return new ArraySlice(element, all, axis, Axis.all(1)).part();
      }
      char down = letters.charAt(0);
      char across = letters.charAt(1);
      Shares grid = Shares.of(ranks);
      int high = across == 'N' ? ranks : down == 'N' ? 1 : grid.second;
      int wide = ranks / high;
      Axis outer = axis(down, rows, high, p / wide);
      return new ArraySlice(element, columns, axis(across, columns, wide, p % wide), outer).part();
    }

    private static Axis none(long extent, int p) {
      return new Axis(0, p == 0 ? extent : 0, 1);
    }

    private static Axis axis(char letter, long extent, int places, int place) {
      return switch (letter) {
        case 'N' -> Axis.all(extent);
        case 'B' -> Axis.block(extent, places, place);
        case 'C' -> Axis.cyclic(extent, places, place);
        default -> throw new IllegalArgumentException("no distribution " + letter);
      };
    }

    Workload workload(String name, Ops ops, IntFunction<Part> part) {
      return Workloads.workload("patterns", name, bytes(), false, ops, ranks, part);
    }
  }

  /** IOR's hard run: one transfer of 47,008 bytes for each rank in each segment. */
  public static List<Workload> iorHard(int ranks, int segments) {
    return List.of(ior("ior hard", ranks, IOR_HARD_BYTES, segments));
  }

  /** Segments of one block for each rank, in one shared file, all in one request. */
  static Workload ior(String name, int ranks, long blockBytes, int segments) {
    long segment = blockBytes * ranks;
    return workload(
        "ior",
        name,
        segment * segments,
        false,
        Ops.READ_AND_WRITE,
        ranks,
        p -> new ArraySlice(blockBytes, ranks, new Axis(p, 1, 1), Axis.all(segments)).part());
  }

  private static Workload workload(
      String suite,
      String name,
      long fileBytes,
      boolean shared,
      Ops ops,
      int ranks,
      IntFunction<Part> part) {
    List<Part> parts = new ArrayList<>();
    for (int p = 0; p < ranks; p++) {
      parts.add(part.apply(p));
    }
    boolean scattered =
        shared
            || parts.stream().anyMatch(one -> one.runs() > 1 && one.runBytes() < SCATTERED_BYTES);
    return new Workload(suite, name, fileBytes, scattered, ops, parts);
  }
}
