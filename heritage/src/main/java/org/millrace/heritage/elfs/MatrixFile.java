package org.millrace.heritage.elfs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.client.Agreement;
import org.millrace.client.BufferAccess;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;

/**
 * A file that holds a matrix, ELFS's {@code 2D_matrix_file}: rows and columns are read and written
 * by their numbers, from 0. The size is fixed when the file is made and kept in it; the file is a
 * {@code .npy} file, or, opened as plain, nothing but the elements row by row.
 *
 * <p>No call waits for other ranks, and calls are not atomic against each other: as the text has
 * it, several ranks that use the same elements must take care themselves.
 *
 * <p>Belongs to the rank's thread. Closing waits for what is under way; it is idempotent.
 */
public class MatrixFile extends UnixFile {

  /** What is done with a row. */
  @FunctionalInterface
  public interface RowWork {

    /** Uses the elements of a row; the array is the next row's afterwards. */
    void run(long row, double[] elements) throws IOException;
  }

  // constant after construction
  private final GlobalArray array;
  private final long bytes;

  /** For subclasses. */
  protected MatrixFile(GlobalArray array) throws IOException {
    super(array.rank(), array.file());
    this.array = array;
    this.bytes = array.file().size();
  }

  /** Makes a file for a matrix of zeros; one of this name is replaced. Collective. */
  public static MatrixFile create(Rank rank, String path, long rows, long columns, ElementType type)
      throws IOException {
    return new MatrixFile(made(rank, path, rows, columns, type));
  }

  static GlobalArray made(Rank rank, String path, long rows, long columns, ElementType type)
      throws IOException {
    agree(rank, "create", path, rows, columns, type);
    OpenOptions options = OpenOptions.create().withTruncate();
    return GlobalArray.create(rank, path, Shape.rowMajor(rows, columns), type, options);
  }

  /** Opens a file that {@link #create} made, or any {@code .npy} file of a matrix. Collective. */
  public static MatrixFile open(Rank rank, String path) throws IOException {
    return new MatrixFile(found(rank, path));
  }

  static GlobalArray found(Rank rank, String path) throws IOException {
    GlobalArray array = GlobalArray.open(rank, path, OpenOptions.readWrite());
    if (array.shape().dimensions() != 2) {
      array.close();
      throw new IllegalArgumentException(
          path + " has " + array.shape().dimensions() + " dimensions, a matrix has 2");
    }
    return array;
  }

  /** Opens the matrix that any file begins with; it must be as long at least. Collective. */
  public static MatrixFile openPlain(
      Rank rank, String path, long rows, long columns, ElementType type) throws IOException {
    agree(rank, "openPlain", path, rows, columns, type);
    Shape shape = Shape.rowMajor(rows, columns);
    return new MatrixFile(GlobalArray.openRaw(rank, path, shape, type, 0, OpenOptions.readWrite()));
  }

  private static void agree(
      Rank rank, String call, String path, long rows, long columns, ElementType type)
      throws IOException {
    rank.agree(
            Agreement.on(call, path, rows, columns, type)
                .giving("path", path)
                .giving("type of elements", type)
                .checking(() -> Shape.rowMajor(rows, columns)))
        .orThrow();
  }

  /** How many rows it has. */
  public final long rows() {
    return array.shape().dimension(0);
  }

  /** How many columns it has. */
  public final long columns() {
    return array.shape().dimension(1);
  }

  /** What the elements are. */
  public final ElementType type() {
    return array.type();
  }

  /** The core's array. */
  protected final GlobalArray array() {
    return array;
  }

  private Section rowSection(long row) {
    return Section.of(Range.at(row), Range.all(columns()));
  }

  private Section columnSection(long column) {
    return Section.of(Range.all(rows()), Range.at(column));
  }

  private Local rowIn(MemorySegment memory) {
    return Local.of(memory, Shape.rowMajor(1, columns()));
  }

  private Local columnIn(MemorySegment memory) {
    return Local.of(memory, Shape.rowMajor(rows(), 1));
  }

  /** A row, with buffers of any kind; counts are bytes, elements as they are in the file. */
  public final BufferAccess row(long row) {
    return BufferAccess.of(into -> readRow(row, into), from -> writeRow(row, from));
  }

  /** A column, with buffers of any kind; counts are bytes, elements as they are in the file. */
  public final BufferAccess column(long column) {
    return BufferAccess.of(into -> readColumn(column, into), from -> writeColumn(column, from));
  }

  /** Reads a row, its bytes as they are in the file. Returns how many bytes. */
  public final long readRow(long row, MemorySegment into) throws IOException {
    return array.readSectionAlone(rowSection(row), rowIn(into));
  }

  /** Reads a row of doubles. */
  public final long readRow(long row, double[] into) throws IOException {
    return array.readSectionAlone(rowSection(row), Local.of(into, Shape.rowMajor(1, columns())));
  }

  /** Writes a row. */
  public final long writeRow(long row, MemorySegment from) throws IOException {
    return array.writeSectionAlone(rowSection(row), rowIn(from));
  }

  /** Writes a row of doubles. */
  public final long writeRow(long row, double[] from) throws IOException {
    return array.writeSectionAlone(rowSection(row), Local.of(from, Shape.rowMajor(1, columns())));
  }

  /** Reads a column, its bytes as they are in the file. Returns how many bytes. */
  public final long readColumn(long column, MemorySegment into) throws IOException {
    return array.readSectionAlone(columnSection(column), columnIn(into));
  }

  /** Reads a column of doubles. */
  public final long readColumn(long column, double[] into) throws IOException {
    return array.readSectionAlone(columnSection(column), Local.of(into, Shape.rowMajor(rows(), 1)));
  }

  /** Writes a column. */
  public final long writeColumn(long column, MemorySegment from) throws IOException {
    return array.writeSectionAlone(columnSection(column), columnIn(from));
  }

  /** Writes a column of doubles. */
  public final long writeColumn(long column, double[] from) throws IOException {
    return array.writeSectionAlone(
        columnSection(column), Local.of(from, Shape.rowMajor(rows(), 1)));
  }

  /** As {@link #readRow(long, MemorySegment)}, while the program goes on. */
  public final CompletableFuture<Long> readRowAsync(long row, MemorySegment into)
      throws IOException {
    return array.readSectionAloneAsync(rowSection(row), rowIn(into));
  }

  /** As {@link #writeRow(long, MemorySegment)}, while the program goes on. */
  public final CompletableFuture<Long> writeRowAsync(long row, MemorySegment from)
      throws IOException {
    return array.writeSectionAloneAsync(rowSection(row), rowIn(from));
  }

  /** As {@link #readColumn(long, MemorySegment)}, while the program goes on. */
  public final CompletableFuture<Long> readColumnAsync(long column, MemorySegment into)
      throws IOException {
    return array.readSectionAloneAsync(columnSection(column), columnIn(into));
  }

  /** As {@link #writeColumn(long, MemorySegment)}, while the program goes on. */
  public final CompletableFuture<Long> writeColumnAsync(long column, MemorySegment from)
      throws IOException {
    return array.writeSectionAloneAsync(columnSection(column), columnIn(from));
  }

  /**
   * Begins to read a row ahead of time: into the memory of the nodes, so that the next read of it
   * waits for no disk and still sees what others have written since.
   */
  public final void prefetchRow(long row) throws IOException {
    var _ = readRowAsync(row, scratch(columns()));
  }

  /** As {@link #prefetchRow}, of a column. */
  public final void prefetchColumn(long column) throws IOException {
    var _ = readColumnAsync(column, scratch(rows()));
  }

  private MemorySegment scratch(long elements) {
    return Arena.ofAuto().allocate(Math.multiplyExact(elements, (long) type().bytes()));
  }

  /** Goes over rows, each read while the program works on the one before. */
  public final void eachRow(long from, long to, RowWork work) throws IOException {
    double[] elements = new double[Math.toIntExact(columns())];
    for (long row = from; row < to; row++) {
      readRow(row, elements);
      if (row + 1 < to) {
        prefetchRow(row + 1);
      }
      work.run(row, elements);
    }
  }

  /** Refused: the size of a matrix is fixed when its file is made. */
  @Override
  public void ftruncate(long size) {
    throw new UnsupportedOperationException("the size of a matrix file was fixed when it was made");
  }

  /** As every file's, but not beyond the end. */
  @Override
  public long write(MemorySegment from) throws IOException {
    checkWrite(file().position(), from.byteSize());
    return super.write(from);
  }

  /** As every file's, but not beyond the end. */
  @Override
  public long pwrite(MemorySegment from, long offset) throws IOException {
    checkWrite(offset, from.byteSize());
    return super.pwrite(from, offset);
  }

  /** As every file's, but not beyond the end. */
  @Override
  public CompletableFuture<Long> pwriteAsync(MemorySegment from, long offset) throws IOException {
    checkWrite(offset, from.byteSize());
    return super.pwriteAsync(from, offset);
  }

  private void checkWrite(long offset, long length) {
    if (offset > bytes - length) {
      throw new IndexOutOfBoundsException(
          "%s bytes at %s of a matrix file of %s bytes".formatted(length, offset, bytes));
    }
  }

  @Override
  public void close() throws IOException {
    array.close();
  }
}
