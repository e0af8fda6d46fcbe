package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import java.util.zip.CRC32C;

/**
 * The record of blocks that are about to be overwritten, with their new sums, which bytes of them
 * the write changes, and a sum of those that it does not. It is durable before the first byte of
 * such a block changes, so that a half-written block is recognized after a crash, and that what no
 * write has touched can still be verified in it.
 *
 * <p>It also has the sum that the block had when its epoch began: what the disk has may be newer
 * when the intents of the epoch before are looked at ({@link Settled}).
 *
 * <p>Frames of one size stand in two lanes, for even and odd epochs: while a flush makes the blocks
 * of one epoch durable, the next epoch's intents go to the other lane. A lane starts over when its
 * turn comes again; frames of earlier epochs that it still holds are recognized by their number. A
 * frame that is not whole was never forced, so the write it announces never began: it is passed
 * over. (Or it rots: then the blocks of writes that did begin do not match their sums.)
 *
 * <pre>
 *   file     | frame 0 even | frame 0 odd | frame 1 even | frame 1 odd | ...
 *
 *   frame    0       4       8       16       24       28      32                     4096
 *            +-------+-------+-------+--------+--------+-------+-----------+- ... -+----+
 *            | MIN3  | CRC   | epoch | file id| strand | bytes | intent    |       | 0  |
 *            +-------+-------+-------+--------+--------+-------+-----------+- ... -+----+
 *                            |------- CRC32C of this, little-endian ---------------|
 *
 *   intent   block i64 | new sum i32 | old sum i32 | sum of the rest i32 | limit i32 | count i32
 *            | count times: from i32, to i32
 * </pre>
 *
 * <p>Where a block has several intents, the last counts: each covers all that writes since the last
 * flush, and the one before it if that has not ended, may have changed.
 *
 * <p>Safe for use by several threads, except that nothing is recorded while an epoch begins.
 */
final class Intents {

  static final int FRAME_BYTES = 4096;

  private static final int MAGIC = 0x334e494d; // "MIN3"
  private static final int CRC_AT = 4;
  private static final int CHECKED_FROM = 8;
  private static final int ENTRIES_AT = 32;

  /**
   * A block that is about to be overwritten.
   *
   * @param block its number
   * @param sum of what it will hold
   * @param old sum of what it held when the epoch began
   * @param changes which bytes of it change
   * @param rest sum of those that do not
   */
  record Intent(long block, int sum, int old, BlockChanges changes, int rest) {

    /** Whether what the write does not change is as it was when the intent was made. */
    boolean isRestRight(MemorySegment content) {
      return changes.restSum(content) == rest;
    }

    private int bytes() {
      return 28 + 8 * changes.count();
    }

    private void put(ByteBuffer frame) {
      frame.putLong(block).putInt(sum).putInt(old).putInt(rest).putInt(changes.limit());
      frame.putInt(changes.count());
      for (int i = 0; i < changes.count(); i++) {
        frame.putInt(changes.from(i)).putInt(changes.to(i));
      }
    }

    private static Intent get(ByteBuffer frame) {
      long block = frame.getLong();
      int sum = frame.getInt();
      int old = frame.getInt();
      int rest = frame.getInt();
      BlockChanges changes = new BlockChanges(frame.getInt());
      int count = frame.getInt();
      for (int i = 0; i < count; i++) {
        changes.add(frame.getInt(), frame.getInt());
      }
      return new Intent(block, sum, old, changes, rest);
    }
  }

  /**
   * What a file of intents says: by epoch, and in it by block.
   *
   * @param epochs ascending; those that a header has dropped may be among them
   */
  record Found(SortedMap<Long, Map<Long, Intent>> epochs) {

    /** The last intent of each block, of {@code first} and later epochs. */
    Map<Long, Intent> since(long first) {
      Map<Long, Intent> all = new LinkedHashMap<>();
      epochs.tailMap(first).values().forEach(all::putAll);
      return all;
    }

    /** Those of one epoch. */
    Map<Long, Intent> of(long epoch) {
      return epochs.getOrDefault(epoch, Map.of());
    }

    /** The highest epoch found, or -1. */
    long lastEpoch() {
      return epochs.isEmpty() ? -1 : epochs.lastKey();
    }
  }

  /** What may be changed of a block in an epoch, and its sum when that began. */
  private record Change(BlockChanges what, int old) {}

  // Constant after construction.
  private final DiskFile file;
  private final StrandKey id;
  private final int maxFrames;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  @GuardedBy("lock")
  private long epoch;

  @GuardedBy("lock")
  private int frames;

  /** What may be changed since the last flush, and since the one before while that runs. */
  @GuardedBy("lock")
  private Map<Long, Change> changed = new HashMap<>();

  @GuardedBy("lock")
  private Map<Long, Change> flushing = new HashMap<>();

  Intents(DiskFile file, StrandKey id, int maxFrames) {
    this.file = file;
    this.id = id;
    this.maxFrames = maxFrames;
  }

  /** What the file says after a crash. */
  Found read() throws IOException {
    TreeMap<Long, Map<Long, Intent>> epochs = new TreeMap<>();
    ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    long size = file.size();
    for (long at = 0; at + FRAME_BYTES <= size; at += FRAME_BYTES) {
      FullReads.full(file, at, MemorySegment.ofBuffer(frame.clear()));
      if (isWhole(frame)) {
        Map<Long, Intent> found =
            epochs.computeIfAbsent(frame.getLong(8), _ -> new LinkedHashMap<>());
        frame.position(ENTRIES_AT).limit(ENTRIES_AT + frame.getInt(28));
        while (frame.hasRemaining()) {
          Intent intent = Intent.get(frame);
          found.put(intent.block(), intent);
        }
      }
    }
    return new Found(epochs);
  }

  private boolean isWhole(ByteBuffer frame) {
    int bytes = frame.getInt(28);
    return frame.getInt(0) == MAGIC
        && bytes >= 0
        && bytes <= FRAME_BYTES - ENTRIES_AT
        && frame.getInt(CRC_AT) == crc(frame, bytes)
        && frame.getLong(16) == id.fileId()
        && frame.getInt(24) == id.strand();
  }

  /** Starts an epoch: its lane begins anew. */
  void begin(long newEpoch) {
    lock.lock();
    try {
      epoch = newEpoch;
      frames = 0;
      flushing = changed;
      changed = new HashMap<>();
    } finally {
      lock.unlock();
    }
  }

  /** The blocks with intents of the epoch before, whose flush has not ended. */
  List<Long> ending() {
    lock.lock();
    try {
      return List.copyOf(flushing.keySet());
    } finally {
      lock.unlock();
    }
  }

  /** Whether a flush is due, to keep the file and the time of a recovery small. */
  boolean isCrowded() {
    lock.lock();
    try {
      return frames >= maxFrames;
    } finally {
      lock.unlock();
    }
  }

  /** The intents of the epoch before are done with: its flush has ended. */
  void dropEarlier() {
    lock.lock();
    try {
      flushing = Map.of();
    } finally {
      lock.unlock();
    }
  }

  /** Whether the intent that a block has in this epoch covers these changes. */
  boolean covers(long block, BlockChanges changes) {
    lock.lock();
    try {
      Change known = changed.get(block);
      return known != null && known.what.covers(changes);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns after it is durable that blocks are about to be overwritten. If it fails, nothing is
   * known of them: frames that were written all the same do no harm, and later intents follow them.
   *
   * @param wanted what each write changes, by block
   * @param content finds what a block will hold
   */
  void record(Map<Long, BlockChanges> wanted, LongFunction<Content> content) throws IOException {
    Map<Long, Change> durable = new HashMap<>();
    lock.lock();
    try {
      ByteBuffer frame = empty();
      for (Map.Entry<Long, BlockChanges> one : wanted.entrySet()) {
        long block = one.getKey();
        Content next = content.apply(block);
        Change change = with(block, one.getValue(), next.old());
        durable.put(block, change);
        int rest = change.what.restSum(next.bytes());
        Intent intent = new Intent(block, next.sum(), change.old, change.what, rest);
        if (frame.remaining() < intent.bytes()) {
          write(frame);
          frame = empty();
        }
        intent.put(frame);
      }
      write(frame);
    } finally {
      lock.unlock();
    }
    file.force();
    lock.lock();
    try {
      changed.putAll(durable);
    } finally {
      lock.unlock();
    }
  }

  /** All that may be changed of a block, with what changes now. */
  @GuardedBy("lock")
  private Change with(long block, BlockChanges now, int old) {
    Change known = changed.get(block);
    Change before = flushing.get(block);
    BlockChanges all = now.and(known == null ? null : known.what);
    return new Change(
        all.and(before == null ? null : before.what), known == null ? old : known.old);
  }

  /**
   * What a block will hold.
   *
   * @param bytes all of it
   * @param sum of these
   * @param old the sum of what it holds
   */
  record Content(MemorySegment bytes, int sum, int old) {}

  @GuardedBy("lock")
  private ByteBuffer empty() {
    ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    frame.putInt(MAGIC).putInt(0).putLong(epoch).putLong(id.fileId()).putInt(id.strand());
    return frame.putInt(0);
  }

  @GuardedBy("lock")
  private void write(ByteBuffer frame) throws IOException {
    int bytes = frame.position() - ENTRIES_AT;
    frame.putInt(28, bytes);
    frame.putInt(CRC_AT, crc(frame, bytes));
    long slot = 2L * frames + (epoch & 1);
    file.write(slot * FRAME_BYTES, MemorySegment.ofBuffer(frame.clear()));
    frames++;
  }

  private static int crc(ByteBuffer frame, int bytes) {
    CRC32C crc = new CRC32C();
    crc.update(frame.slice(CHECKED_FROM, ENTRIES_AT - CHECKED_FROM + bytes));
    return (int) crc.getValue();
  }
}
