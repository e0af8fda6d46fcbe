package org.millrace.heritage.elfs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.millrace.client.HeldLock;
import org.millrace.client.OpenFlag;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
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
 * may have the file open for writing. Records written by the operations of a Unix file make the
 * index old; the next search or insertion makes it again. What another interface overwrites in
 * place goes unnoticed until {@link #rebuild}. Calls are not atomic against each other.
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
  private final boolean write;

  // the rank's thread
  private boolean closed;

  private RangeSearchFile(
      Rank rank, SharedFile file, RecordFormat format, Optional<SharedFile> side, boolean write) {
    super(rank, file);
    this.format = format;
    this.side = side;
    this.records = new IndexedRecords(file, format, side.map(one -> new RangeIndex(one, format)));
    this.write = write;
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
    checkSame(rank, format);
    SharedFile file = rank.open(path, options);
    Optional<SharedFile> side = Optional.empty();
    try {
      long size = rank.allGather(file.size()).getFirst();
      if (size % format.recordBytes() != 0) {
        throw new MillraceException(
            ErrorCode.INVALID,
            "%s has %d bytes, which is no number of records of %d"
                .formatted(path, size, format.recordBytes()));
      }
      side = openIndex(rank, path, options.has(OpenFlag.WRITE));
      RangeSearchFile opened =
          new RangeSearchFile(rank, file, format, side, options.has(OpenFlag.WRITE));
      return options.has(OpenFlag.WRITE) ? opened.begin() : opened.withGoodIndex();
    } catch (IOException | RuntimeException e) {
      file.close();
      if (side.isPresent()) {
        side.get().close();
      }
      throw e;
    }
  }

  private static void checkSame(Rank rank, RecordFormat format) throws IOException {
    byte[] mine = format.toString().getBytes(StandardCharsets.UTF_8);
    List<byte[]> all = rank.allGather(mine);
    for (int r = 1; r < all.size(); r++) {
      if (!Arrays.equals(all.get(r), all.getFirst())) {
        throw new MixedCallException(
            "rank 0 and rank %d give records of different formats".formatted(r));
      }
    }
  }

  private static Optional<SharedFile> openIndex(Rank rank, String path, boolean write)
      throws IOException {
    try {
      OpenOptions options = write ? OpenOptions.create() : OpenOptions.read();
      return Optional.of(rank.open(indexName(path), options));
    } catch (NoSuchNameException e) {
      return Optional.empty();
    }
  }

  /** For writing: rank 0 mends the index and marks it as open. */
  private RangeSearchFile begin() throws IOException {
    rank()
        .together(
            "begin",
            () -> {
              if (rank().number() == 0) {
                if (records.state() != RangeIndex.State.WHOLE) {
                  records.rebuild(true);
                }
                records.state(RangeIndex.State.OPEN);
                side.orElseThrow().flush();
              }
            });
    return this;
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
    return new RangeSearchFile(rank(), file(), format, Optional.empty(), false);
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
          "%d bytes are no number of records of %d bytes".formatted(size, format.recordBytes()));
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
    if (!write) {
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

  /** All records inside a box, for boxes with few. */
  public List<byte[]> find(List<KeyRange> ranges) throws IOException {
    List<byte[]> found = new ArrayList<>();
    search(ranges, (_, record) -> found.add(record.toArray(ValueLayout.JAVA_BYTE)));
    return found;
  }

  private void search(List<KeyRange> ranges, int shares, int mine, Visitor visitor)
      throws IOException {
    Box box = format.box(ranges);
    if (write && records.state() == RangeIndex.State.NONE) {
      try (var _ = lock()) {
        records.mend();
      }
    }
    records.search(box, shares, mine, visitor);
  }

  private void makeOld() throws IOException {
    if (write) {
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
    return super.pwriteAsync(from, offset)
        .whenComplete(
            (_, _) -> {
              try {
                makeOld();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
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
      if (write) {
        finish();
      }
    } finally {
      try {
        super.close();
      } finally {
        if (side.isPresent()) {
          side.get().close();
        }
      }
    }
  }

  /** When all ranks have inserted what they will and it is durable, the index is whole. */
  private void finish() throws IOException {
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
