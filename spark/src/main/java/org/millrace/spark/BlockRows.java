package org.millrace.spark;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.stream.Stream;
import org.apache.spark.Partitioner;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.array.Local;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * The rows of one rank: a block of the first dimension, in memory. Filled and used by one thread.
 */
final class BlockRows {

  /**
   * Which rank writes which elements: equal blocks of the first dimension. Immutable; sent to
   * executors.
   */
  static final class Blocks extends Partitioner {

    private static final long serialVersionUID = 1;

    private final int ranks;
    private final ArrayFacts facts;

    Blocks(int ranks, ArrayFacts facts) {
      this.ranks = ranks;
      this.facts = facts;
    }

    @Override
    public int numPartitions() {
      return ranks;
    }

    /** The rank of an element, which is given by its number in the order of the file. */
    @Override
    public int getPartition(Object element) {
      long row = (Long) element / elementsOfRow();
      return (int) (((row + 1) * ranks - 1) / facts.dims().getFirst());
    }

    long elementsOfRow() {
      return facts.dims().stream().skip(1).reduce(1L, (a, b) -> a * b);
    }

    long firstRow(int rank) {
      return rank * facts.dims().getFirst() / ranks;
    }

    Section section(int rank) {
      return new Section(
          Stream.concat(
                  Stream.of(Range.of(firstRow(rank), firstRow(rank + 1) - 1)),
                  facts.dims().stream().skip(1).map(Range::all))
              .toList());
    }
  }

  // constant after construction
  private final ArrayFacts facts;
  private final Section section;
  private final long first;
  private final int elements;
  private final MemorySegment memory;

  private final BitSet seen = new BitSet();
  private String wrong = "";

  BlockRows(ArrayFacts facts, Blocks blocks, int rank) {
    this.facts = facts;
    this.section = blocks.section(rank);
    this.first = blocks.firstRow(rank) * blocks.elementsOfRow();
    long bytes = section.elements() * facts.values().bytes();
    if (bytes > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "%s bytes for each rank do not fit into an array; use more ranks".formatted(bytes));
    }
    this.elements = (int) section.elements();
    this.memory = MemorySegment.ofArray(new byte[(int) bytes]);
  }

  /** Takes all rows, and checks that there is one for each element. */
  void fill(Iterator<Tuple2<Long, Object>> rows) {
    while (rows.hasNext()) {
      Tuple2<Long, Object> row = rows.next();
      int at = (int) (row._1() - first);
      if (seen.get(at) && wrong.isEmpty()) {
        wrong = ElementRuns.wrong("several rows for", row._1());
      }
      seen.set(at);
      facts.values().put(memory, at, row._2());
    }
    int gap = seen.nextClearBit(0);
    if (gap < elements && wrong.isEmpty()) {
      wrong = ElementRuns.wrong("no row for", first + gap);
    }
  }

  /** What is wrong with the rows; empty if nothing is. */
  String wrong() {
    return wrong;
  }

  Section section() {
    return section;
  }

  Local local() {
    Shape shape = section.shape(facts.shape().order());
    return facts.values().local(memory, shape);
  }
}
