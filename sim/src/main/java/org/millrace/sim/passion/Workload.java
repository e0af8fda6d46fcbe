package org.millrace.sim.passion;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;

/**
 * The section that the processors read of an array that lies in a file column by column. Immutable.
 */
public sealed interface Workload {

  /** Its name for people. */
  String name();

  /** How many processors read. */
  int ranks();

  /** Rows of the array, and columns. */
  long extent();

  /** Separate runs of bytes that all processors want together, of a column of the array. */
  double runsPerColumn();

  /** Elements of a column of the smallest section that covers all that is wanted. */
  long columnElements();

  /** Elements that a processor wants of the first {@code columns} columns, at most. */
  long most(long columns);

  /** Reads what a processor wants; returns how many bytes came. */
  long read(GlobalArray array, MemorySegment memory) throws IOException;

  /** The paper's seconds by a method, or 0 if it prints none. */
  double paper(Method method);

  /**
   * All processors want the same section: a row of table 1.
   *
   * @param number its number in the table
   * @param extent rows and columns of the array
   * @param rows from and to, as the paper counts: from 1
   * @param columns the same
   * @param direct the paper's seconds
   * @param extended the paper's seconds
   */
  record Common(
      String number, long extent, Range rows, Range columns, double direct, double extended)
      implements Workload {

    /** Processors of table 1. */
    private static final int RANKS = 16;

    @Override
    public String name() {
      return "%s (%s, %s)".formatted(number, rows, columns);
    }

    @Override
    public int ranks() {
      return RANKS;
    }

    @Override
    public double runsPerColumn() {
      return (double) RANKS * columns.count() / extent;
    }

    @Override
    public long columnElements() {
      return rows.count();
    }

    @Override
    public long most(long all) {
      return rows.count() * columns.count();
    }

    @Override
    public long read(GlobalArray array, MemorySegment memory) throws IOException {
      Section section = Section.of(fromZero(rows), fromZero(columns));
      return array.readSection(section, Local.of(memory, section.shape(array.shape().order())));
    }

    private static Range fromZero(Range range) {
      return new Range(range.lower() - 1, range.upper() - 1, range.stride());
    }

    @Override
    public double paper(Method method) {
      return switch (method) {
        case DIRECT -> direct;
        case EXTENDED -> extended;
        case TWO_PHASE, BUFFERED -> 0;
      };
    }
  }

  /**
   * The whole array, dealt out: a distribution of figure 2, whose seconds the text does not print.
   *
   * @param name of the distribution
   * @param extent rows and columns of the array
   * @param rows how rows are dealt out
   * @param columns how columns are
   * @param grid of processors
   */
  record Distributed(String name, long extent, Spread rows, Spread columns, Grid grid)
      implements Workload {

    @Override
    public int ranks() {
      return grid.dimension(0) * grid.dimension(1);
    }

    /** The distribution of the first columns of the array. */
    Distribution of(Shape shape) {
      return Distribution.of(shape, grid, rows, columns);
    }

    @Override
    public double runsPerColumn() {
      return rows instanceof Spread.Cyclic ? extent : grid.dimension(0);
    }

    @Override
    public long columnElements() {
      return extent;
    }

    @Override
    public long most(long all) {
      return of(Shape.columnMajor(extent, all)).localShape(0).elements();
    }

    @Override
    public long read(GlobalArray array, MemorySegment memory) throws IOException {
      Distribution distribution = of(array.shape());
      Shape mine = distribution.localShape(array.rank().number());
      return array.readDistributed(distribution, Local.of(memory, mine));
    }

    @Override
    public double paper(Method method) {
      return 0;
    }
  }

  /** The rows of table 1. */
  static List<Workload> table1() {
    long extent = 4 << 10;
    return List.of(
        new Common("I", extent, Range.of(1, 100), Range.of(1, 100), 3.842, 1.027),
        new Common("II", extent, Range.of(200, 300), Range.of(200, 300), 4.145, 0.883),
        new Common("III", extent, Range.of(400, 800), Range.of(400, 800), 32.57, 3.692),
        new Common("IV", extent, Range.of(32, 64), Range.of(128, 1024), 29.09, 2.780),
        new Common("V", extent, Range.of(1, 16), Range.of(1, 4096), 118.2, 3.241),
        new Common("VI", extent, Range.of(1, 4096), Range.of(1, 16), 3.251, 2.024));
  }

  /** Distributions as in figure 2, of an array with so many rows and columns on 64 processors. */
  static List<Workload> figure2(long extent) {
    Grid columns = Grid.of(1, 64);
    Grid rows = Grid.of(64, 1);
    return List.of(
        new Distributed("column-block", extent, Spread.none(), Spread.block(), columns),
        new Distributed("column-cyclic", extent, Spread.none(), Spread.cyclic(), columns),
        new Distributed("block-block", extent, Spread.block(), Spread.block(), Grid.of(8, 8)),
        new Distributed("row-block", extent, Spread.block(), Spread.none(), rows),
        new Distributed("row-cyclic", extent, Spread.cyclic(), Spread.none(), rows));
  }
}
