package org.millrace.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.millrace.Cluster;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;

/**
 * The elements of one block, in the order of the file. The whole block is in memory. Used by one
 * thread.
 */
final class BlockReader implements PartitionReader<InternalRow> {

  private final ArrayScan.Block block;
  private final Shape shape;
  private final MemorySegment memory;
  private long next = -1;

  /** Reads the block. */
  BlockReader(ArrayScan.Block block) {
    this.block = block;
    Section section = section(block);
    this.shape = section.shape(block.facts().shape().order());
    this.memory = memory(shape.bytes(block.facts().values().bytes()));
    try (Cluster cluster = block.place().connect()) {
      block
          .place()
          .read(
              cluster,
              array ->
                  array.readSectionAlone(section, block.facts().values().local(memory, shape)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Section section(ArrayScan.Block block) {
    List<Range> ranges = new ArrayList<>();
    List<Long> dims = block.facts().dims();
    for (int d = 0; d < dims.size(); d++) {
      ranges.add(
          d == block.cut() ? Range.of(block.from(), block.to() - 1) : Range.all(dims.get(d)));
    }
    return new Section(ranges);
  }

  private static MemorySegment memory(long bytes) {
    if (bytes > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "a block of %s bytes does not fit into an array; give more 'partitions'"
              .formatted(bytes));
    }
    return MemorySegment.ofArray(new byte[(int) bytes]);
  }

  @Override
  public boolean next() {
    next++;
    return next < shape.elements();
  }

  @Override
  public InternalRow get() {
    long[] index = shape.index(next);
    Object[] row = new Object[index.length + 1];
    for (int d = 0; d < index.length; d++) {
      row[d] = index[d] + (d == block.cut() ? block.from() : 0);
    }
    row[index.length] = block.facts().values().get(memory, next);
    return new GenericInternalRow(row);
  }

  @Override
  public void close() {}
}
