package org.millrace.heritage.mpiio;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Order;
import org.millrace.access.Pattern;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;

/**
 * A datatype of MPI: basic elements at displacements, with a lower bound and an extent. It is kept
 * as a formula: a type of a billion blocks takes as much memory as one of ten; only the index lists
 * that were given are kept as lists. Bytes are selected by {@link #pattern()}, in the order of the
 * type map.
 *
 * <p>As in the standard, the upper bound of a type without explicit bounds is rounded up so that
 * the extent is a multiple of its widest element; {@link #createResized}, {@link #createSubarray}
 * and {@link #createDarray} set explicit bounds, which types built of them inherit.
 *
 * <p>There is nothing to commit or free. Wrong arguments throw {@link MpiArgumentException}.
 * Immutable; safe for any number of threads.
 */
public final class Datatype {

  /** In {@link #createDarray}: the default size of blocks. */
  public static final long DISTRIBUTE_DFLT_DARG = -1;

  /** One byte, never converted. */
  public static final Datatype BYTE = basic("BYTE", 1);

  /** One byte of a packed message; as {@link #BYTE}. */
  public static final Datatype PACKED = basic("PACKED", 1);

  /** A truth value of one byte (MPI_C_BOOL). */
  public static final Datatype BOOLEAN = basic("BOOLEAN", 1);

  /** Java's {@code char} of two bytes (MPI_WCHAR of external32; C's MPI_CHAR is {@link #BYTE}). */
  public static final Datatype CHAR = basic("CHAR", 2);

  /** Two bytes (MPI_INT16_T). */
  public static final Datatype SHORT = basic("SHORT", 2);

  /** Four bytes (MPI_INT32_T, MPI_INTEGER). */
  public static final Datatype INT = basic("INT", 4);

  /**
   * Java's {@code long} of eight bytes, also in external32 (MPI_INT64_T, MPI_LONG_LONG, MPI_AINT,
   * MPI_OFFSET and MPI_COUNT; C's MPI_LONG has four bytes there, which is {@link #INT}).
   */
  public static final Datatype LONG = basic("LONG", 8);

  /** Four bytes of IEEE (MPI_REAL). */
  public static final Datatype FLOAT = basic("FLOAT", 4);

  /** Eight bytes of IEEE (MPI_DOUBLE_PRECISION). */
  public static final Datatype DOUBLE = basic("DOUBLE", 8);

  /** A complex number of two floats (MPI_C_FLOAT_COMPLEX, MPI_COMPLEX): one element. */
  public static final Datatype FLOAT_COMPLEX = complex("FLOAT_COMPLEX", 4);

  /** A complex number of two doubles (MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX): one element. */
  public static final Datatype DOUBLE_COMPLEX = complex("DOUBLE_COMPLEX", 8);

  /** A float and an int, as reductions with a place use them. */
  public static final Datatype FLOAT_INT = pair(FLOAT);

  /** A double and an int. */
  public static final Datatype DOUBLE_INT = pair(DOUBLE);

  /** A long and an int. */
  public static final Datatype LONG_INT = pair(LONG);

  /** A short and an int. */
  public static final Datatype SHORT_INT = pair(SHORT);

  /** Two ints. */
  public static final Datatype INT2 = pair(INT);

  /** How a type is built again of other basic types: those that lie in a file. */
  private interface Recipe {
    Datatype of(UnaryOperator<Datatype> basics);
  }

  private final String name;
  private final Composition parts;
  private final Recipe recipe;

  private Datatype(String name, Composition parts, Recipe recipe) {
    this.name = name;
    this.parts = parts;
    this.recipe = recipe;
  }

  private Datatype(String name, Composition parts) {
    this.name = name;
    this.parts = parts;
    this.recipe = basics -> basics.apply(this);
  }

  private static Datatype basic(String name, int width) {
    return new Datatype(name, Composition.basic(width, width));
  }

  private static Datatype complex(String name, int width) {
    return new Datatype(name, Composition.basic(2 * width, width));
  }

  /** A value, and an int behind it where C's compilers put it. */
  private static Datatype pair(Datatype value) {
    long at = Math.max(value.getSize(), INT.getSize());
    return createStruct(new long[] {1, 1}, new long[] {0, at}, new Datatype[] {value, INT});
  }

  /** This basic type where each takes so many bytes of a file, whatever they mean. */
  Datatype ofWidth(int width) {
    return new Datatype(name + " in the file", Composition.basic(width, 1));
  }

  /** The same constructors over what {@code basics} makes of basic types. */
  Datatype over(UnaryOperator<Datatype> basics) {
    return recipe.of(basics);
  }

  /** MPI_Type_contiguous: {@code count} of {@code old}, one extent apart. */
  public static Datatype createContiguous(long count, Datatype old) {
    checkCount("count", count);
    return of(
        "contiguous",
        List.of(new Piece(0, count, old.getExtent(), old)),
        basics -> createContiguous(count, old.over(basics)));
  }

  /** MPI_Type_vector: blocks whose starts are {@code stride} extents of {@code old} apart. */
  public static Datatype createVector(long count, long blockLength, long stride, Datatype old) {
    return vector(
        count,
        blockLength,
        times(stride, old.getExtent()),
        old,
        basics -> createVector(count, blockLength, stride, old.over(basics)));
  }

  /** MPI_Type_create_hvector: the same with the stride in bytes. */
  public static Datatype createHVector(
      long count, long blockLength, long strideBytes, Datatype old) {
    return vector(
        count,
        blockLength,
        strideBytes,
        old,
        basics -> createHVector(count, blockLength, strideBytes, old.over(basics)));
  }

  private static Datatype vector(
      long count, long blockLength, long strideBytes, Datatype old, Recipe recipe) {
    checkCount("count", count);
    Datatype block = createContiguous(blockLength, old);
    return of("vector", List.of(new Piece(0, count, strideBytes, block)), recipe);
  }

  /** MPI_Type_indexed: blocks at displacements, which count extents of {@code old}. */
  public static Datatype createIndexed(long[] blockLengths, long[] displacements, Datatype old) {
    long[] lengths = blockLengths.clone();
    long[] at = displacements.clone();
    return indexed(
        lengths, scaled(at, old), old, basics -> createIndexed(lengths, at, old.over(basics)));
  }

  /** MPI_Type_create_hindexed: the same with the displacements in bytes. */
  public static Datatype createHIndexed(
      long[] blockLengths, long[] displacementBytes, Datatype old) {
    long[] lengths = blockLengths.clone();
    long[] at = displacementBytes.clone();
    return indexed(lengths, at, old, basics -> createHIndexed(lengths, at, old.over(basics)));
  }

  private static Datatype indexed(long[] lengths, long[] bytes, Datatype old, Recipe recipe) {
    Datatype[] same = new Datatype[lengths.length];
    Arrays.fill(same, old);
    return of("indexed", pieces(lengths, bytes, same), recipe);
  }

  /** MPI_Type_create_indexed_block: blocks of one length. */
  public static Datatype createIndexedBlock(long blockLength, long[] displacements, Datatype old) {
    return createIndexed(lengths(displacements.length, blockLength), displacements, old);
  }

  /** MPI_Type_create_hindexed_block: the same with the displacements in bytes. */
  public static Datatype createHIndexedBlock(
      long blockLength, long[] displacementBytes, Datatype old) {
    return createHIndexed(lengths(displacementBytes.length, blockLength), displacementBytes, old);
  }

  private static long[] lengths(int blocks, long blockLength) {
    long[] lengths = new long[blocks];
    Arrays.fill(lengths, blockLength);
    return lengths;
  }

  /** MPI_Type_create_struct: blocks of different types, with displacements in bytes. */
  public static Datatype createStruct(
      long[] blockLengths, long[] displacementBytes, Datatype[] types) {
    long[] lengths = blockLengths.clone();
    long[] at = displacementBytes.clone();
    List<Datatype> all = List.of(types);
    return of(
        "struct",
        pieces(lengths, at, types),
        basics ->
            createStruct(
                lengths, at, all.stream().map(type -> type.over(basics)).toArray(Datatype[]::new)));
  }

  /**
   * MPI_Type_create_subarray: {@code subsizes} elements from {@code starts} on, of an array of
   * {@code sizes}. The extent is the whole array's.
   *
   * @param order ROW_MAJOR is MPI_ORDER_C, COLUMN_MAJOR is MPI_ORDER_FORTRAN
   */
  public static Datatype createSubarray(
      long[] sizes, long[] subsizes, long[] starts, Order order, Datatype old) {
    if (sizes.length == 0 || subsizes.length != sizes.length || starts.length != sizes.length) {
      throw wrong(ErrorClass.ARG, "subarray with sizes, subsizes and starts of different lengths");
    }
    Range[] ranges = new Range[sizes.length];
    for (int i = 0; i < sizes.length; i++) {
      if (subsizes[i] < 1 || starts[i] < 0 || starts[i] > sizes[i] - subsizes[i]) {
        throw wrong(
            ErrorClass.ARG,
            "subarray: %s elements from %s on in dimension %s of %s"
                .formatted(subsizes[i], starts[i], i, sizes[i]));
      }
      ranges[i] = new Range(starts[i], starts[i] + subsizes[i] - 1, 1);
    }
    try {
      return subarray(Shape.of(order, sizes), Section.of(ranges), old);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw wrong(e, ErrorClass.ARG, "subarray");
    }
  }

  private static Datatype subarray(Shape shape, Section section, Datatype old) {
    Pattern selected = section.in(shape, old.pattern(), arrayExtent(old));
    return array(
        "subarray", selected, shape, old, basics -> subarray(shape, section, old.over(basics)));
  }

  /**
   * MPI_Type_create_darray: what rank {@code rank} of {@code size} has of an array that is dealt
   * out to a grid of ranks as in HPF. The grid is row-major, whatever the order of the array.
   *
   * @param gsizes the array's sizes
   * @param distribs how each dimension is dealt out
   * @param dargs the size of blocks in each, or {@link #DISTRIBUTE_DFLT_DARG}
   * @param psizes the grid's sizes
   * @param order the array's order, as in {@link #createSubarray}
   */
  public static Datatype createDarray(
      int size,
      int rank,
      long[] gsizes,
      Distrib[] distribs,
      long[] dargs,
      int[] psizes,
      Order order,
      Datatype old) {
    if (distribs.length != gsizes.length || dargs.length != gsizes.length) {
      throw wrong(ErrorClass.ARG, "darray with argument lists of different lengths");
    }
    List<Spread> spreads = new ArrayList<>();
    for (int i = 0; i < distribs.length; i++) {
      if (gsizes[i] < 1) {
        throw wrong(ErrorClass.ARG, "darray with size " + gsizes[i] + " in dimension " + i);
      }
      spreads.add(spread(distribs[i], dargs[i]));
    }
    try {
      Grid grid = Grid.of(psizes);
      if (grid.ranks() != size || rank < 0 || rank >= size) {
        throw wrong(ErrorClass.ARG, "rank %s of %s on %s".formatted(rank, size, grid));
      }
      return darray(new Distribution(Shape.of(order, gsizes), spreads, grid), rank, old);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw wrong(e, ErrorClass.ARG, "darray");
    }
  }

  private static Datatype darray(Distribution dealt, int rank, Datatype old) {
    return array(
        "darray",
        dealt.part(rank, old.pattern(), arrayExtent(old)),
        dealt.shape(),
        old,
        basics -> darray(dealt, rank, old.over(basics)));
  }

  private static Spread spread(Distrib distrib, long darg) {
    boolean usual = darg == DISTRIBUTE_DFLT_DARG;
    if (!usual && darg < 1) {
      throw wrong(ErrorClass.ARG, "darray with blocks of " + darg);
    }
    return switch (distrib) {
      case NONE -> Spread.none();
      case BLOCK -> usual ? Spread.block() : Spread.block(darg);
      case CYCLIC -> usual ? Spread.cyclic() : Spread.blockCyclic(darg);
    };
  }

  /** MPI_Type_create_resized: the same elements with another lower bound and extent. */
  public static Datatype createResized(Datatype old, long lb, long extent) {
    try {
      return new Datatype(
          "resized(" + old + ")",
          old.parts.bounded(lb, Math.addExact(lb, extent)),
          basics -> createResized(old.over(basics), lb, extent));
    } catch (ArithmeticException e) {
      throw wrong(e, ErrorClass.ARG, "resized");
    }
  }

  /** MPI_Type_dup. Types do not change, so it is this one. */
  public Datatype dup() {
    return this;
  }

  /** The bytes of its elements, without holes. */
  public long getSize() {
    return parts.pattern().size();
  }

  /** Bytes from one element of this type to the next. */
  public long getExtent() {
    return parts.ub() - parts.lb();
  }

  /** The lower bound. */
  public long getLb() {
    return parts.lb();
  }

  /** The upper bound. */
  public long getUb() {
    return parts.ub();
  }

  /** Where its data begin, whatever the bounds say. */
  public long getTrueLb() {
    return parts.pattern().first();
  }

  /** From the begin of its data to their end, whatever the bounds say. */
  public long getTrueExtent() {
    return parts.pattern().end() - parts.pattern().first();
  }

  /** Which bytes, in the order of the type map, relative to the origin. */
  public Pattern pattern() {
    return parts.pattern();
  }

  /**
   * Where in memory basic value number {@code item} lies, in bytes from the origin, if this type
   * tiles it: for conversions of a registered representation.
   */
  public long displacement(long item) {
    Signature all = signature();
    long turn = item / all.elements();
    long position = all.bytesOf(item - turn * all.elements());
    return turn * getExtent() + pattern().offsetOf(position);
  }

  Composition parts() {
    return parts;
  }

  Signature signature() {
    return parts.signature();
  }

  /** What {@code count} of these select in memory. */
  Pattern repeated(long count) {
    return Pattern.loop(count, getExtent(), pattern());
  }

  private static Datatype of(String name, List<Piece> pieces, Recipe recipe) {
    try {
      return new Datatype(name, Composition.of(pieces), recipe);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw wrong(e, ErrorClass.COUNT, name);
    }
  }

  private static Datatype array(
      String name, Pattern selected, Shape shape, Datatype old, Recipe recipe) {
    long extent = times(shape.elements(), old.getExtent());
    return new Datatype(name, Composition.array(selected, old).bounded(0, extent), recipe);
  }

  /** Elements of an array must follow each other upwards. */
  private static long arrayExtent(Datatype old) {
    if (old.getExtent() < 0) {
      throw wrong(ErrorClass.TYPE, "array of elements with the extent " + old.getExtent());
    }
    return old.getExtent();
  }

  private static List<Piece> pieces(long[] lengths, long[] displacements, Datatype[] types) {
    if (lengths.length != displacements.length || lengths.length != types.length) {
      throw wrong(
          ErrorClass.ARG,
          "%s block lengths, %s displacements, %s types"
              .formatted(lengths.length, displacements.length, types.length));
    }
    List<Piece> pieces = new ArrayList<>(lengths.length);
    for (int i = 0; i < lengths.length; i++) {
      checkCount("block length", lengths[i]);
      pieces.add(new Piece(displacements[i], lengths[i], types[i].getExtent(), types[i]));
    }
    return pieces;
  }

  private static long[] scaled(long[] displacements, Datatype old) {
    return Arrays.stream(displacements).map(one -> times(one, old.getExtent())).toArray();
  }

  private static long times(long count, long bytes) {
    if (count != 0 && Math.multiplyHigh(count, bytes) != ((count * bytes) >> 63)) {
      throw wrong(ErrorClass.COUNT, count + " times " + bytes + " bytes exceed 2^63-1");
    }
    return count * bytes;
  }

  private static void checkCount(String what, long count) {
    if (count < 0) {
      throw wrong(ErrorClass.COUNT, what + " " + count + " is negative");
    }
  }

  private static MpiArgumentException wrong(ErrorClass errorClass, String what) {
    return new MpiArgumentException(errorClass, what);
  }

  /** What a part found wrong by itself, or the core below it. */
  private static MpiArgumentException wrong(RuntimeException e, ErrorClass otherwise, String what) {
    return e instanceof MpiArgumentException own
        ? own
        : wrong(
            e instanceof ArithmeticException ? ErrorClass.COUNT : otherwise,
            what + ": " + e.getMessage());
  }

  @Override
  public String toString() {
    return "%s[%s bytes, %s to %s]".formatted(name, getSize(), getLb(), getUb());
  }
}
