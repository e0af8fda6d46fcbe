package org.millrace.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.millrace.Cluster;
import org.millrace.access.Shape;
import org.millrace.files.FileHandle;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.NewFile;

/**
 * Writes the elements of one task to their places in the file. Neighbours that come one after the
 * other are one write. Committing makes them durable. Used by one thread.
 */
final class BlockWriter implements DataWriter<InternalRow> {

  private static final int BUFFER_ELEMENTS = 1 << 16;

  /**
   * Makes a writer for each task. Sent to executors.
   *
   * @param place of the file
   * @param facts about the array in it
   * @param chunk sizes of its chunks; empty if it has none
   */
  record Factory(ArrayPlace place, ArrayFacts facts, List<Long> chunk)
      implements DataWriterFactory {

    private static final long serialVersionUID = 1;

    @Override
    public DataWriter<InternalRow> createWriter(int partition, long task) {
      try {
        return new BlockWriter(this);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  // constant after construction
  private final ArrayFacts facts;
  private final Shape shape;
  private final ElementPositions positions;
  private final Cluster cluster;
  private final FileTree files;
  private final FileHandle file;
  private final MemorySegment buffer;
  private final long[] index;

  // of the thread that writes
  private final List<ElementRuns.Run> runs = new ArrayList<>();
  private long from; // the first element in the buffer
  private long position; // of the first element in the file, in elements
  private int buffered;

  private BlockWriter(Factory given) throws IOException {
    ArrayPlace place = given.place();
    this.facts = given.facts();
    this.shape = facts.shape();
    this.positions = new ElementPositions(shape, given.chunk());
    this.index = new long[shape.dimensions()];
    this.buffer = MemorySegment.ofArray(new byte[BUFFER_ELEMENTS * facts.values().bytes()]);
    this.cluster = place.connect();
    try {
      this.files = cluster.files();
      this.file = files.open(FilePath.of(place.path()), Set.of(Opening.WRITE), NewFile.with(0));
    } catch (IOException | RuntimeException e) {
      try (cluster) {
        throw e;
      }
    }
  }

  @Override
  public void write(InternalRow row) throws IOException {
    for (int d = 0; d < index.length; d++) {
      index[d] = row.getLong(d);
    }
    long element = shape.linear(index);
    long at = positions.of(index);
    if (element != from + buffered || at != position + buffered || buffered == BUFFER_ELEMENTS) {
      flush();
      from = element;
      position = at;
    }
    facts.values().put(buffer, buffered, row, index.length);
    buffered++;
  }

  private void flush() throws IOException {
    if (buffered > 0) {
      int bytes = facts.values().bytes();
      file.write(
          facts.headerBytes() + position * bytes, buffer.asSlice(0, (long) buffered * bytes));
      add(new ElementRuns.Run(from, from + buffered));
      buffered = 0;
    }
  }

  private void add(ElementRuns.Run run) {
    if (!runs.isEmpty() && runs.getLast().to() == run.from()) {
      runs.set(runs.size() - 1, new ElementRuns.Run(runs.getLast().from(), run.to()));
    } else {
      runs.add(run);
    }
  }

  @Override
  public WriterCommitMessage commit() throws IOException {
    flush();
    file.force(true);
    return new ElementRuns(List.copyOf(runs));
  }

  /** The driver removes the file, if nobody can write it again. */
  @Override
  public void abort() {
    buffered = 0;
  }

  @Override
  public void close() throws IOException {
    try (cluster;
        files) {
      file.close();
    }
  }
}
