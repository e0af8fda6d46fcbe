package org.millrace.heritage.elfs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.millrace.client.Agreement;
import org.millrace.client.HeldLock;
import org.millrace.client.OpenFlag;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;

/**
 * A file of records that are points of an n-dimensional space, ELFS's Multidimensional Range
 * Searching objects: each dimension is a key field of the records, and a caller that gives a range
 * for each gets the records inside. The file holds nothing but the records, one after the other; an
 * {@linkplain RangeIndex index} lies beside it in {@code NAME.index} and is made again from the
 * records whenever it is missing, was not closed, or is about another number of them.
 *
 * <p>Every rank inserts and searches for itself. A search finds every record whose insertion was
 * complete when it began, once; of those inserted meanwhile it may find some. One group at a time
 * may have the file open for writing; to another one opening fails with IN_USE. Records written by
 * the operations of a Unix file make the index old; the next search or insertion makes it again.
 * What another interface overwrites in place goes unnoticed until {@link #rebuild}. Calls are not
 * atomic against each other.
 *
 * <p>Belongs to the rank's thread. Memory is bounded: a page and a path of the index, and records
 * of 256 KiB or one record. Opening is collective, and so is closing a file that was opened for
 * writing, which makes records and index durable. If that fails on one rank it fails on all, the
 * files are closed all the same, and the index is made again at the next open. Closing is
 * idempotent.
 */
public final class RangeSearchFile extends UnixFile {

  /** What is done with a record that was found. */
  @FunctionalInterface
  public interface Visitor {

    /**
     * Takes a record.
     *
     * @param number of the record in the file
     * @param record its bytes, good until this returns
     */
    void found(long number, MemorySegment record) throws IOException;
  }

  private static final int INSERTS_UNDER_LOCK = 256;

  // constant after construction
  private final RecordFormat format;
  private final Optional<SharedFile> side;
  private final IndexedRecords records;
  private final Optional<SharedFile> mark; // of the only group that writes

  // the rank's thread
  private boolean closed;
  private final List<CompletableFuture<Long>> writing = new ArrayList<>();

  private RangeSearchFile(
      Rank rank,
      SharedFile file,
      RecordFormat format,
      Optional<SharedFile> side,
      Optional<SharedFile> mark) {
    super(rank, file);
    this.format = format;
    this.side = side;
    this.records = new IndexedRecords(file, format, side.map(one -> new RangeIndex(one, format)));
    this.mark = mark;
  }

  private boolean isWritable() {
    return mark.isPresent();
  }

  /** Makes a file without records; one of this name is replaced. Collective. */
  public static RangeSearchFile create(Rank rank, String path, RecordFormat format)
      throws IOException {
    return opened(rank, path, format, OpenOptions.create().withTruncate());
  }

  /** Opens a file of records, however it was made, for searching and inserting. Collective. */
  public static RangeSearchFile open(Rank rank, String path, RecordFormat format)
      throws IOException {
    return opened(rank, path, format, OpenOptions.readWrite());
  }

  /**
   * Opens a file of records, however it was made, for searching. Collective. Without a good index
   * all records are looked at, since none can be made.
   */
  public static RangeSearchFile openToRead(Rank rank, String path, RecordFormat format)
      throws IOException {
    return opened(rank, path, format, OpenOptions.read());
  }

  private static String indexName(String path) {
    return path + ".index";
  }

  private static RangeSearchFile opened(
      Rank rank, String path, RecordFormat format, OpenOptions options) throws IOException {
    rank.agree(Agreement.on("open", path, format).giving("path", path).giving("format", format))
        .orThrow();
    Deque<SharedFile> opened = new ArrayDeque<>();
    try {
      if (!options.has(OpenFlag.WRITE)) {
        SharedFile file = push(opened, openWhole(rank, path, format, options));
        Optional<SharedFile> side = openIndex(rank, path, OpenOptions.read());
        side.ifPresent(opened::push);
        return new RangeSearchFile(rank, file, format, side, Optional.empty()).withGoodIndex();
      }
      SharedFile mark = push(opened, SoleWriter.take(rank, path)); // before anything is cut
      SharedFile file = push(opened, openWhole(rank, path, format, options));
      boolean searched = rank.number() == 0 && SoleWriter.isOpen(rank, indexName(path));
      Optional<SharedFile> side = openIndex(rank, path, OpenOptions.create());
      side.ifPresent(opened::push);
      return new RangeSearchFile(rank, file, format, side, Optional.of(mark)).begin(searched);
    } catch (IOException | RuntimeException e) {
      for (SharedFile one : opened) {
        try {
          one.close();
        } catch (IOException more) {
          e.addSuppressed(more);
        }
      }
      throw e;
    }
  }

  private static SharedFile push(Deque<SharedFile> opened, SharedFile file) {
    opened.push(file);
    return file;
  }

  private static SharedFile openWhole(
      Rank rank, String path, RecordFormat format, OpenOptions options) throws IOException {
    SharedFile file = rank.open(path, options);
    try {
      long size = rank.allGather(file.size()).getFirst();
      if (size % format.recordBytes() != 0) {
        throw new MillraceException(
            ErrorCode.INVALID,
            "%s has %s bytes, which is no number of records of %s"
                .formatted(path, size, format.recordBytes()));
      }
      return file;
    } catch (IOException | RuntimeException e) {
      try (file) {
        throw e;
      }
    }
  }

  private static Optional<SharedFile> openIndex(Rank rank, String path, OpenOptions options)
      throws IOException {
    try {
      return Optional.of(rank.open(indexName(path), options));
    } catch (NoSuchNameException e) {
      return Optional.empty();
    }
  }

  /**
   * For writing: rank 0 mends the index and marks it as open.
   *
   * @param searched whether others may be searching the index; known to rank 0
   */
  private RangeSearchFile begin(boolean searched) throws IOException {
    rank()
        .together(
            "begin",
            () -> {
              if (rank().number() == 0) {
                if (records.state() != RangeIndex.State.WHOLE) {
                  makeIndex(searched);
                }
                records.state(RangeIndex.State.OPEN);
                side.orElseThrow().flush();
              }
            });
    return this;
  }

  private void makeIndex(boolean searched) throws IOException {
    if (searched && !records.hasOwnIndex()) {
      throw new MillraceException(
          ErrorCode.IN_USE, indexName(path()) + " is about other keys, and others search it");
    }
    records.rebuild(!searched); // beside the old one, which stays as it is for those who search it
  }

  /** For reading: an index that is not whole is not used. All ranks decide alike. */
  private RangeSearchFile withGoodIndex() throws IOException {
    boolean good = records.state() == RangeIndex.State.WHOLE;
    if (rank().allReduceLong(good ? 1 : 0, Math::min) == 1) {
      return this;
    }
    if (side.isPresent()) {
      side.get().close();
    }
    return new RangeSearchFile(rank(), file(), format, Optional.empty(), Optional.empty());
  }

  /** What records look like. */
  public RecordFormat format() {
    return format;
  }

  /** Whether searches use an index; if not they look at all records. */
  public boolean isIndexed() {
    return records.isIndexed();
  }

  /** How many records there are. */
  public long records() throws IOException {
    return records.count();
  }

  /** As {@link #insert(MemorySegment)}. */
  public void insert(ByteBuffer added) throws IOException {
    insert(MemorySegment.ofBuffer(added));
  }

  /** As {@link #insert(MemorySegment)}. */
  public void insert(byte[] added) throws IOException {
    insert(MemorySegment.ofArray(added));
  }

  /**
   * Adds records at the end of the file, and to the index. Any rank may at any time; up to {@value
   * #INSERTS_UNDER_LOCK} records of one call lie together, more may have others' between.
   */
  public void insert(MemorySegment added) throws IOException {
    long size = added.byteSize();
    if (size % format.recordBytes() != 0) {
      throw new IllegalArgumentException(
          "%s bytes are no number of records of %s bytes".formatted(size, format.recordBytes()));
    }
    checkWritable();
    long step = (long) INSERTS_UNDER_LOCK * format.recordBytes();
    for (long from = 0; from < size; from += step) {
      try (var _ = lock()) {
        records.append(added.asSlice(from, Math.min(step, size - from)));
      }
    }
  }

  private HeldLock lock() throws IOException {
    return rank().lock(indexName(path()));
  }

  private void checkWritable() throws MillraceException {
    if (!isWritable()) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED, path() + " was not opened for inserting");
    }
  }

  /** Makes the index again from the records. Called by one rank. */
  public void rebuild() throws IOException {
    checkWritable();
    try (var _ = lock()) {
      records.rebuild(false);
    }
  }

  /** Finds every record inside a box: a range for each dimension. In no particular order. */
  public void search(List<KeyRange> ranges, Visitor visitor) throws IOException {
    search(ranges, 1, 0, visitor);
  }

  /**
   * As {@link #search}, all ranks together if they give the same ranges: each finds a share, and no
   * record is found by two, however they come and no matter who inserts meanwhile. Waits for
   * nobody.
   */
  public void searchShare(List<KeyRange> ranges, Visitor visitor) throws IOException {
    search(ranges, rank().size(), rank().number(), visitor);
  }

  /**
   * As {@link #search}, while the program goes on: the future has the number of records that were
   * found. The visitor is called by one other thread.
   */
  public CompletableFuture<Long> searchAsync(List<KeyRange> ranges, Visitor visitor)
      throws IOException {
    return searchAsync(ranges, 1, 0, visitor);
  }

  /** As {@link #searchShare}, while the program goes on; see {@link #searchAsync}. */
  public CompletableFuture<Long> searchShareAsync(List<KeyRange> ranges, Visitor visitor)
      throws IOException {
    return searchAsync(ranges, rank().size(), rank().number(), visitor);
  }

  private CompletableFuture<Long> searchAsync(
      List<KeyRange> ranges, int shares, int mine, Visitor visitor) throws IOException {
    Box box = format.box(ranges);
    mendIndex(); // here: locks are the rank's own
    return file()
        .async(
            () -> {
              long[] found = {0};
              records.search(
                  box,
                  shares,
                  mine,
                  (number, record) -> {
                    found[0]++;
                    visitor.found(number, record);
                  });
              return found[0];
            });
  }

  /** All records inside a box, for boxes with few. */
  public List<byte[]> find(List<KeyRange> ranges) throws IOException {
    List<byte[]> found = new ArrayList<>();
    search(ranges, (_, record) -> found.add(record.toArray(ValueLayout.JAVA_BYTE)));
    return found;
  }

  private void search(List<KeyRange> ranges, int shares, int mine, Visitor visitor)
      throws IOException {
    Box box = format.box(ranges);
    mendIndex();
    records.search(box, shares, mine, visitor);
  }

  private void mendIndex() throws IOException {
    if (isWritable() && records.state() == RangeIndex.State.NONE) {
      try (var _ = lock()) {
        records.mend();
      }
    }
  }

  private void makeOld() throws IOException {
    if (isWritable()) {
      records.state(RangeIndex.State.NONE);
    }
  }

  /** As every file's; the index is made again when it is needed. */
  @Override
  public long write(MemorySegment from) throws IOException {
    makeOld();
    long moved = super.write(from);
    makeOld(); // should somebody have made it again in between
    return moved;
  }

  /** As every file's; the index is made again when it is needed. */
  @Override
  public long pwrite(MemorySegment from, long offset) throws IOException {
    makeOld();
    long moved = super.pwrite(from, offset);
    makeOld();
    return moved;
  }

  /** As every file's; the index is made again when it is needed after it. */
  @Override
  public CompletableFuture<Long> pwriteAsync(MemorySegment from, long offset) throws IOException {
    makeOld();
    CompletableFuture<Long> moving =
        super.pwriteAsync(from, offset)
            .whenComplete(
                (_, _) -> {
                  try {
                    makeOld();
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
    writing.removeIf(CompletableFuture::isDone);
    writing.add(moving);
    return moving;
  }

  private void awaitEnd(CompletableFuture<Long> moving) {
    try {
      rank().await(moving);
    } catch (IOException | RuntimeException e) {
      return; // which those have that asked for it
    }
  }

  /** As every file's; the index is made again when it is needed. */
  @Override
  public void ftruncate(long size) throws IOException {
    makeOld();
    super.ftruncate(size);
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (isWritable()) {
        finish();
      }
    } finally {
      try {
        super.close(); // after what is under way
      } finally {
        try {
          if (side.isPresent()) {
            side.get().close();
          }
        } finally {
          if (mark.isPresent()) {
            mark.get().close(); // the last: now another group may write
          }
        }
      }
    }
  }

  /** When all ranks have inserted what they will and it is durable, the index is whole. */
  private void finish() throws IOException {
    for (CompletableFuture<Long> one : writing) { // each makes the index old when it ends
      awaitEnd(one);
    }
    rank().together("flush", file()::flush);
    rank()
        .together(
            "finish",
            () -> {
              if (rank().number() == 0) {
                if (records.state() == RangeIndex.State.OPEN) {
                  records.state(RangeIndex.State.WHOLE);
                }
                side.orElseThrow().flush();
              }
            });
  }
}
