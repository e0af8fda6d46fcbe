package org.millrace.heritage.elfs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.zip.CRC32C;
import org.millrace.client.Memory;
import org.millrace.client.SharedFile;

/**
 * The index of a {@link RangeSearchFile}: a k-d tree (Bentley, 1975) with pages of entries as its
 * leaves, in a file of its own. No more than a page of it and a path are ever in memory.
 *
 * <pre>
 *   header, longs:          magic | format | state | records | root | next page | next node |
 *                           end of nodes | root of a tree in the making
 *   node, 64 bytes:         NODE (int) | dimension (int) | value | below | rest
 *   leaf, a page:           see {@link Leaf}
 * </pre>
 *
 * <p>Entries whose key is below a node's value are on its first side. A full leaf is divided into
 * two new ones by the median, dimensions taking turns; then one long, the link that led to it, is
 * changed, and the old leaf is left as it is. So a search meanwhile finds all that was complete
 * when it began, without a lock. A tree that replaces another is made beside it. Writers come one
 * at a time: the caller has a lock.
 *
 * <p>Belongs to the rank's thread; the file is the caller's to close.
 */
final class RangeIndex {

  /** What is known of the index. */
  enum State {
    /** Nothing: it must be made. */
    NONE(0),
    /** Somebody has it open for writing, or did not close it. */
    OPEN(1),
    /** It is whole. */
    WHOLE(2);

    private final long number;

    State(long number) {
      this.number = number;
    }

    private static State of(long number) {
      return number == WHOLE.number ? WHOLE : number == OPEN.number ? OPEN : NONE;
    }
  }

  /** What is done with a leaf that may have what is looked for. */
  interface LeafWork {
    void run(Leaf leaf) throws IOException;
  }

  private static final long MAGIC = 0x454c46532d4b4431L;
  private static final int STATE_AT = 16;
  private static final int RECORDS_AT = 24;
  private static final int ROOT_AT = 32;
  private static final int NEXT_PAGE_AT = 40;
  private static final int NEXT_NODE_AT = 48;
  private static final int NODES_END_AT = 56;
  private static final int COMING_ROOT_AT = 64;
  private static final int NODE_BYTES = 64;
  private static final int NODE_KIND = 1;
  private static final int VALUE_AT = 8;
  private static final int BELOW_AT = 16;
  private static final int REST_AT = 24;

  // constant after construction
  private final SharedFile file;
  private final RecordFormat format;
  private final int dimensions;

  // the rank's thread
  private long rootAt = ROOT_AT;

  RangeIndex(SharedFile file, RecordFormat format) {
    this.file = file;
    this.format = format;
    this.dimensions = format.dimensions();
  }

  private long formatMark() {
    CRC32C crc = new CRC32C();
    crc.update(format.toString().getBytes(StandardCharsets.UTF_8));
    return crc.getValue();
  }

  /** What the header says, of an index of this format over so many records. */
  State state(long records) throws IOException {
    ByteBuffer header = read(0, NODE_BYTES);
    return isOurs(header) && header.getLong(RECORDS_AT) == records
        ? State.of(header.getLong(STATE_AT))
        : State.NONE;
  }

  /** Whether it is an index of this format, of however many records. */
  boolean isOurs() throws IOException {
    return isOurs(read(0, NODE_BYTES));
  }

  private boolean isOurs(ByteBuffer header) {
    return header.getLong(0) == MAGIC && header.getLong(8) == formatMark();
  }

  void state(State state) throws IOException {
    writeLong(STATE_AT, state.number);
  }

  void records(long records) throws IOException {
    writeLong(RECORDS_AT, records);
  }

  /**
   * Begins a new tree; entries go there until {@link #endTree}.
   *
   * @param fromScratch whether nobody searches the old one, so that its room is free
   */
  void beginTree(boolean fromScratch) throws IOException {
    if (fromScratch) {
      ByteBuffer header = ByteBuffer.allocate(NODE_BYTES);
      header.putLong(MAGIC).putLong(formatMark()).putLong(State.NONE.number);
      write(0, header.putLong(NEXT_PAGE_AT, Leaf.BYTES).rewind());
    } else {
      state(State.NONE);
    }
    writeLong(COMING_ROOT_AT, writeLeaf(Leaf.empty(dimensions)));
    rootAt = COMING_ROOT_AT;
  }

  /** The new tree is complete, and has so many records. */
  void endTree(long records) throws IOException {
    writeLong(ROOT_AT, readLong(COMING_ROOT_AT));
    records(records);
    state(State.OPEN);
    rootAt = ROOT_AT;
  }

  /** Meets every leaf that may have entries in a box. */
  void search(Box box, LeafWork work) throws IOException {
    if (box.isEmpty()) {
      return;
    }
    Deque<Long> ahead = new ArrayDeque<>();
    ahead.push(readLong(ROOT_AT));
    while (!ahead.isEmpty()) {
      long at = ahead.pop();
      ByteBuffer node = read(at, NODE_BYTES);
      if (node.getInt(0) != NODE_KIND) {
        for (long next = at; next != 0; ) {
          Leaf leaf = leaf(next);
          work.run(leaf);
          next = leaf.overflow();
        }
        continue;
      }
      int dimension = node.getInt(4);
      long value = node.getLong(VALUE_AT);
      if (box.upper()[dimension] >= value) {
        ahead.push(node.getLong(REST_AT));
      }
      if (box.lower()[dimension] < value) {
        ahead.push(node.getLong(BELOW_AT));
      }
    }
  }

  /** Adds an entry. */
  void insert(long[] keys, long record) throws IOException {
    long link = rootAt;
    long at = readLong(rootAt);
    int depth = 0;
    for (ByteBuffer node = read(at, NODE_BYTES);
        node.getInt(0) == NODE_KIND;
        node = read(at, NODE_BYTES)) {
      int side = keys[node.getInt(4)] < node.getLong(VALUE_AT) ? BELOW_AT : REST_AT;
      link = at + side;
      at = node.getLong(side);
      depth++;
    }
    Leaf leaf = leaf(at);
    if (!leaf.isFull()) {
      append(at, leaf, keys, record);
    } else if (leaf.isAll(keys)) {
      overflow(at, leaf, keys, record);
    } else {
      writeLong(link, divide(leaf, keys, record, depth));
    }
  }

  /** The entry first, then the count that makes it one. */
  private void append(long at, Leaf leaf, long[] keys, long record) throws IOException {
    int entry = leaf.entryAt(leaf.count());
    leaf.add(keys, record);
    write(at + entry, leaf.page().slice(entry, Leaf.entryBytes(dimensions)));
    write(at + Leaf.COUNT_AT, leaf.page().slice(Leaf.COUNT_AT, Integer.BYTES));
  }

  /** Entries of equal keys, which no value can divide, go into a chain of leaves. */
  private void overflow(long at, Leaf head, long[] keys, long record) throws IOException {
    if (head.overflow() != 0) {
      Leaf first = leaf(head.overflow());
      if (!first.isFull()) {
        append(head.overflow(), first, keys, record);
        return;
      }
    }
    Leaf more = Leaf.empty(dimensions);
    more.add(keys, record);
    more.overflow(head.overflow());
    writeLong(at + Leaf.OVERFLOW_AT, writeLeaf(more));
  }

  /** Writes a node over two leaves that have the entries of a full one, and one more. */
  private long divide(Leaf full, long[] keys, long record, int depth) throws IOException {
    int dimension = depth % dimensions;
    long[] values = values(full, keys, dimension);
    while (values[0] == values[values.length - 1]) { // keys differ, so that some dimension will do
      dimension = (dimension + 1) % dimensions;
      values = values(full, keys, dimension);
    }
    int middle = values.length / 2;
    while (values[middle] == values[0]) {
      middle++;
    }
    long value = values[middle];
    Leaf below = Leaf.empty(dimensions);
    Leaf rest = Leaf.empty(dimensions);
    for (int i = 0; i < full.count(); i++) {
      (full.key(i, dimension) < value ? below : rest).add(full.keys(i), full.record(i));
    }
    // a chain has equal keys, hence stays whole on one side
    (full.key(0, dimension) < value ? below : rest).overflow(full.overflow());
    (keys[dimension] < value ? below : rest).add(keys, record);
    ByteBuffer node = ByteBuffer.allocate(NODE_BYTES);
    node.putInt(NODE_KIND).putInt(dimension).putLong(value);
    node.putLong(writeLeaf(below)).putLong(writeLeaf(rest)).rewind();
    long at = roomForNode();
    write(at, node);
    return at;
  }

  private static long[] values(Leaf leaf, long[] keys, int dimension) {
    long[] values = new long[leaf.count() + 1];
    for (int i = 0; i < leaf.count(); i++) {
      values[i] = leaf.key(i, dimension);
    }
    values[leaf.count()] = keys[dimension];
    Arrays.sort(values);
    return values;
  }

  private long writeLeaf(Leaf leaf) throws IOException {
    long at = roomForPage();
    write(at, leaf.page());
    return at;
  }

  private long roomForPage() throws IOException {
    long at = readLong(NEXT_PAGE_AT);
    writeLong(NEXT_PAGE_AT, at + Leaf.BYTES);
    return at;
  }

  private long roomForNode() throws IOException {
    long at = readLong(NEXT_NODE_AT);
    if (at == readLong(NODES_END_AT)) {
      at = roomForPage();
      writeLong(NODES_END_AT, at + Leaf.BYTES);
    }
    writeLong(NEXT_NODE_AT, at + NODE_BYTES);
    return at;
  }

  private Leaf leaf(long at) throws IOException {
    return new Leaf(read(at, Leaf.BYTES), dimensions);
  }

  private ByteBuffer read(long at, int bytes) throws IOException {
    byte[] found = new byte[bytes];
    file.at(at).read(Memory.of(found));
    return ByteBuffer.wrap(found);
  }

  private void write(long at, ByteBuffer bytes) throws IOException {
    file.at(at).write(MemorySegment.ofBuffer(bytes));
  }

  private long readLong(long at) throws IOException {
    return read(at, Long.BYTES).getLong(0);
  }

  private void writeLong(long at, long value) throws IOException {
    write(at, ByteBuffer.allocate(Long.BYTES).putLong(0, value));
  }
}
