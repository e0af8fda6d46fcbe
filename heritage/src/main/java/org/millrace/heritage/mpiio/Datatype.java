package org.millrace.heritage.mpiio;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
 * <p>There is nothing to commit or free. Wrong arguments throw {@link IllegalArgumentException}
 * with MPI's error class in the message. Immutable; safe for any number of threads.
 */
public final class Datatype {

  /** In {@link #createDarray}: the default size of blocks. */
  public static final long DISTRIBUTE_DFLT_DARG = -1;

  /** One byte, never converted. */
  public static final Datatype BYTE = Composition.basic("BYTE", 1);

  /** One byte of a packed message; as {@link #BYTE}. */
  public static final Datatype PACKED = Composition.basic("PACKED", 1);

  /** A truth value of one byte (MPI_C_BOOL). */
  public static final Datatype BOOLEAN = Composition.basic("BOOLEAN", 1);

  /** Java's {@code char} of two bytes (MPI_WCHAR of external32; C's MPI_CHAR is {@link #BYTE}). */
  public static final Datatype CHAR = Composition.basic("CHAR", 2);

  /** Two bytes. */
  public static final Datatype SHORT = Composition.basic("SHORT", 2);

  /** Four bytes. */
  public static final Datatype INT = Composition.basic("INT", 4);

  /**
   * Java's {@code long} of eight bytes, also in external32 (MPI_INT64_T and MPI_LONG_LONG; C's
   * MPI_LONG has four bytes there, which is {@link #INT}).
   */
  public static final Datatype LONG = Composition.basic("LONG", 8);

  /** Four bytes of IEEE. */
  public static final Datatype FLOAT = Composition.basic("FLOAT", 4);

  /** Eight bytes of IEEE. */
  public static final Datatype DOUBLE = Composition.basic("DOUBLE", 8);

  private final String name;
  private final Composition parts;

  Datatype(String name, Composition parts) {
    this.name = name;
    this.parts = parts;
  }

  /** MPI_Type_contiguous: {@code count} of {@code old}, one extent apart. */
  public static Datatype createContiguous(long count, Datatype old) {
    checkCount("count", count);
    return of("contiguous", List.of(new Piece(0, count, old.getExtent(), old)));
  }

  /** MPI_Type_vector: blocks whose starts are {@code stride} extents of {@code old} apart. */
  public static Datatype createVector(long count, long blockLength, long stride, Datatype old) {
    return createHVector(count, blockLength, times(stride, old.getExtent()), old);
  }

  /** MPI_Type_create_hvector: the same with the stride in bytes. */
  public static Datatype createHVector(
      long count, long blockLength, long strideBytes, Datatype old) {
    checkCount("count", count);
    Datatype block = createContiguous(blockLength, old);
    return of("vector", List.of(new Piece(0, count, strideBytes, block)));
  }

  /** MPI_Type_indexed: blocks at displacements, which count extents of {@code old}. */
  public static Datatype createIndexed(long[] blockLengths, long[] displacements, Datatype old) {
    return createHIndexed(blockLengths, scaled(displacements, old), old);
  }

  /** MPI_Type_create_hindexed: the same with the displacements in bytes. */
  public static Datatype createHIndexed(
      long[] blockLengths, long[] displacementBytes, Datatype old) {
    Datatype[] same = new Datatype[blockLengths.length];
    Arrays.fill(same, old);
    return of("indexed", pieces(blockLengths, displacementBytes, same));
  }

  /** MPI_Type_create_indexed_block: blocks of one length. */
  public static Datatype createIndexedBlock(long blockLength, long[] displacements, Datatype old) {
    return createHIndexedBlock(blockLength, scaled(displacements, old), old);
  }

  /** MPI_Type_create_hindexed_block: the same with the displacements in bytes. */
  public static Datatype createHIndexedBlock(
      long blockLength, long[] displacementBytes, Datatype old) {
    long[] lengths = new long[displacementBytes.length];
    Arrays.fill(lengths, blockLength);
    return createHIndexed(lengths, displacementBytes, old);
  }

  /** MPI_Type_create_struct: blocks of different types, with displacements in bytes. */
  public static Datatype createStruct(
      long[] blockLengths, long[] displacementBytes, Datatype[] types) {
    return of("struct", pieces(blockLengths, displacementBytes, types));
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
            "subarray: %d elements from %d on in dimension %d of %d"
                .formatted(subsizes[i], starts[i], i, sizes[i]));
      }
      ranges[i] = new Range(starts[i], starts[i] + subsizes[i] - 1, 1);
    }
    Shape shape = Shape.of(order, sizes);
    Pattern selected = Section.of(ranges).in(shape, old.pattern(), arrayExtent(old));
    return array("subarray", selected, shape, old);
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
    Shape shape = Shape.of(order, gsizes);
    Grid grid = Grid.of(psizes);
    if (grid.ranks() != size || rank < 0 || rank >= size) {
      throw wrong(ErrorClass.ARG, "darray for rank %d of %d on %s".formatted(rank, size, grid));
    }
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
      Distribution dealt = new Distribution(shape, spreads, grid);
      return array("darray", dealt.part(rank, old.pattern(), arrayExtent(old)), shape, old);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(ErrorClass.ARG + ": darray: " + e.getMessage(), e);
    }
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
    return new Datatype("resized(" + old + ")", old.parts.bounded(lb, Math.addExact(lb, extent)));
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

  private static Datatype of(String name, List<Piece> pieces) {
    return new Datatype(name, Composition.of(pieces));
  }

  private static Datatype array(String name, Pattern selected, Shape shape, Datatype old) {
    long extent = times(shape.elements(), old.getExtent());
    return new Datatype(name, Composition.array(selected, old).bounded(0, extent));
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
          "%d block lengths, %d displacements, %d types"
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
    try {
      return Math.multiplyExact(count, bytes);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          ErrorClass.COUNT + ": " + count + " times " + bytes + " bytes exceed 2^63-1", e);
    }
  }

  private static void checkCount(String what, long count) {
    if (count < 0) {
      throw wrong(ErrorClass.COUNT, what + " " + count + " is negative");
    }
  }

  private static IllegalArgumentException wrong(ErrorClass errorClass, String what) {
    return new IllegalArgumentException(errorClass + ": " + what);
  }

  @Override
  public String toString() {
    return "%s[%d bytes, %d to %d]".formatted(name, getSize(), getLb(), getUb());
  }
}
