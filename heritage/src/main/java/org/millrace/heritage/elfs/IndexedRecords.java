package org.millrace.heritage.elfs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.SharedFile;

/**
 * The records of a {@link RangeSearchFile} and their index, if there is one: what is done with
 * both. Reads a bounded number of records at once. Callers that change something have the file's
 * lock.
 *
 * <p>Belongs to the rank's thread; both files are the caller's to close.
 */
final class IndexedRecords {

  /** Bytes of records that are read at once, unless one record has more. */
  static final int BATCH_BYTES = 1 << 18;

  private interface Batch {
    void run(long first, byte[] records) throws IOException;
  }

  // constant after construction
  private final SharedFile file;
  private final RecordFormat format;
  private final Optional<RangeIndex> index;

  IndexedRecords(SharedFile file, RecordFormat format, Optional<RangeIndex> index) {
    this.file = file;
    this.format = format;
    this.index = index;
  }

  boolean isIndexed() {
    return index.isPresent();
  }

  private RangeIndex requireIndex() {
    return index.orElseThrow(() -> new IllegalStateException(file.path() + " has no index"));
  }

  long count() throws IOException {
    return file.size() / format.recordBytes();
  }

  RangeIndex.State state() throws IOException {
    return index.isEmpty() ? RangeIndex.State.NONE : index.get().state(count());
  }

  void state(RangeIndex.State state) throws IOException {
    requireIndex().state(state);
  }

  /** Adds records to the file and to the index. */
  void append(MemorySegment records) throws IOException {
    mend();
    long first = count();
    file.at(first * format.recordBytes()).write(records);
    requireIndex().records(first + records.byteSize() / format.recordBytes());
    try {
      index(first, records.toArray(ValueLayout.JAVA_BYTE));
    } catch (IOException e) { // some may be missing: nobody may rely on it
      try {
        requireIndex().state(RangeIndex.State.NONE);
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /** Makes the index again if it is old. */
  void mend() throws IOException {
    if (state() == RangeIndex.State.NONE) {
      rebuild(false);
    }
  }

  /** Whether there is an index of this format, of however many records. */
  boolean hasOwnIndex() throws IOException {
    return requireIndex().isOurs();
  }

  /**
   * Makes the index again.
   *
   * @param fromScratch whether nobody searches meanwhile
   */
  void rebuild(boolean fromScratch) throws IOException {
    requireIndex().beginTree(fromScratch);
    long[] all = {0};
    scan(
        (first, records) -> {
          index(first, records);
          all[0] = first + records.length / format.recordBytes();
        });
    requireIndex().endTree(all[0]);
  }

  private void index(long first, byte[] records) throws IOException {
    ByteBuffer buffer = littleEndian(records);
    for (int i = 0; i < records.length / format.recordBytes(); i++) {
      requireIndex().insert(format.keysAt(buffer, i * format.recordBytes()), first + i);
    }
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private int atOnce() {
    return Math.max(1, BATCH_BYTES / format.recordBytes());
  }

  private void scan(Batch work) throws IOException {
    long all = count();
    for (long first = 0; first < all; first += atOnce()) {
      int count = (int) Math.min(atOnce(), all - first);
      byte[] bytes = new byte[count * format.recordBytes()];
      long got = file.at(first * format.recordBytes()).read(Memory.of(bytes));
      work.run(first, Arrays.copyOf(bytes, (int) (got - got % format.recordBytes())));
    }
  }

  /**
   * Hands out records in a box that belong to a share. Whose a record is its number alone says:
   * where it is found in the index changes while others insert. Without an index shares are of
   * whole batches, so that each reads its own only.
   */
  void search(Box box, int shares, int mine, RangeSearchFile.Visitor visitor) throws IOException {
    if (index.isEmpty()) {
      scan(
          (first, records) -> {
            if (first / atOnce() % shares == mine) {
              long[] numbers = new long[records.length / format.recordBytes()];
              Arrays.setAll(numbers, i -> first + i);
              visit(box, numbers, records, visitor);
            }
          });
      return;
    }
    index.get().search(box, leaf -> fetch(box, leaf, shares, mine, visitor));
  }

  private void fetch(Box box, Leaf leaf, int shares, int mine, RangeSearchFile.Visitor visitor)
      throws IOException {
    long[] numbers = new long[leaf.count()];
    int inside = 0;
    for (int i = 0; i < leaf.count(); i++) {
      if (leaf.record(i) % shares == mine && box.contains(leaf.keys(i))) {
        numbers[inside++] = leaf.record(i);
      }
    }
    Arrays.sort(numbers, 0, inside);
    for (int from = 0; from < inside; from += atOnce()) {
      long[] some = Arrays.copyOfRange(numbers, from, Math.min(inside, from + atOnce()));
      long[] offsets = Arrays.stream(some).map(n -> n * format.recordBytes()).toArray();
      long[] lengths = new long[some.length];
      Arrays.fill(lengths, format.recordBytes());
      Pattern places = Pattern.indexed(offsets, lengths);
      byte[] records = new byte[(int) places.size()];
      long got = file.through(new View(0, places, places.end())).read(Memory.of(records));
      long[] there = Arrays.copyOf(some, (int) (got / format.recordBytes())); // others may cut it
      visit(box, there, records, visitor);
    }
  }

  /** Hands out the records that are inside by what the file says now. */
  private void visit(Box box, long[] numbers, byte[] records, RangeSearchFile.Visitor visitor)
      throws IOException {
    ByteBuffer buffer = littleEndian(records);
    MemorySegment all = MemorySegment.ofArray(records).asReadOnly();
    for (int i = 0; i < numbers.length; i++) {
      int start = i * format.recordBytes();
      if (box.contains(format.keysAt(buffer, start))) {
        visitor.found(numbers[i], all.asSlice(start, format.recordBytes()));
      }
    }
  }
}
