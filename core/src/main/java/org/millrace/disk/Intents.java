package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
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
 *            | MIN2  | CRC   | epoch | file id| strand | bytes | intent    |       | 0  |
 *            +-------+-------+-------+--------+--------+-------+-----------+- ... -+----+
 *                            |------- CRC32C of this, little-endian ---------------|
 *
 *   intent   block i64 | new sum i32 | sum of the rest i32 | limit i32 | count i32
 *            | count times: from i32, to i32
 * </pre>
 *
 * <p>The new sum of an intent is none that the disk has for the block when the write begins. Where
 * it is found there after a crash, the flush that the intent waits for has come so far that the
 * block itself was durable: then it must match.
 *
 * <p>Where a block has several intents, the last counts: each covers all that writes since the last
 * flush, and the one before it if that has not ended, may have changed.
 *
 * <p>Safe for use by several threads, except that nothing is recorded while an epoch begins.
 */
final class Intents {

  static final int FRAME_BYTES = 4096;

  private static final int MAGIC = 0x324e494d; // "MIN2"
  private static final int CRC_AT = 4;
  private static final int CHECKED_FROM = 8;
  private static final int ENTRIES_AT = 32;

  /**
   * A block that is about to be overwritten.
   *
   * @param block its number
   * @param sum of what it will hold; none if a sum on the disk may be the same already
   * @param changes which bytes of it change
   * @param rest sum of those that do not
   */
  record Intent(long block, int sum, BlockChanges changes, int rest) {

    /** For writing {@code content}. */
    static Intent of(long block, int sum, BlockChanges changes, MemorySegment content) {
      return new Intent(block, sum, changes, changes.restSum(content));
    }

    /** Whether what the write does not change is as it was when the intent was made. */
    boolean isRestRight(MemorySegment content) {
      return changes.restSum(content) == rest;
    }

    private int bytes() {
      return 24 + 8 * changes.count();
    }

    private void put(ByteBuffer frame) {
      frame.putLong(block).putInt(sum).putInt(rest).putInt(changes.limit());
      frame.putInt(changes.count());
      for (int i = 0; i < changes.count(); i++) {
        frame.putInt(changes.from(i)).putInt(changes.to(i));
      }
    }

    private static Intent get(ByteBuffer frame) {
      long block = frame.getLong();
      int sum = frame.getInt();
      int rest = frame.getInt();
      BlockChanges changes = new BlockChanges(frame.getInt());
      int count = frame.getInt();
      for (int i = 0; i < count; i++) {
        changes.add(frame.getInt(), frame.getInt());
      }
      return new Intent(block, sum, changes, rest);
    }
  }

  /**
   * What a file of intents says.
   *
   * @param intents the blocks that may be half written
   * @param lastEpoch the highest epoch found, or -1
   */
  record Found(Map<Long, Intent> intents, long lastEpoch) {}

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
  private Map<Long, BlockChanges> changed = new HashMap<>();

  @GuardedBy("lock")
  private Map<Long, BlockChanges> flushing = new HashMap<>();

  /** Blocks whose intents of this epoch may have been stored as sums already. */
  @GuardedBy("lock")
  private final Set<Long> stored = new HashSet<>();

  Intents(DiskFile file, StrandKey id, int maxFrames) {
    this.file = file;
    this.id = id;
    this.maxFrames = maxFrames;
  }

  /** What counts after a crash: the intents of {@code firstEpoch} and later. */
  Found read(long firstEpoch) throws IOException {
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
    Map<Long, Intent> all = new LinkedHashMap<>();
    epochs.tailMap(firstEpoch).values().forEach(all::putAll);
    return new Found(all, epochs.isEmpty() ? -1 : epochs.lastKey());
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
      stored.clear();
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

  /**
   * Sums of this epoch are about to be stored, though it goes on: from then on a block must match
   * its sum until another intent says that it changes.
   */
  void onStoring() {
    lock.lock();
    try {
      stored.addAll(changed.keySet());
    } finally {
      lock.unlock();
    }
  }

  /** Whether the intent that a block has in this epoch covers these changes. */
  boolean covers(long block, BlockChanges changes) {
    lock.lock();
    try {
      BlockChanges known = changed.get(block);
      return known != null && known.covers(changes) && !stored.contains(block);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns after it is durable that blocks are about to be overwritten.
   *
   * @param wanted what each write changes, by block
   * @param content finds what a block will hold
   */
  void record(Map<Long, BlockChanges> wanted, LongFunction<Content> content) throws IOException {
    lock.lock();
    try {
      ByteBuffer frame = empty();
      for (Map.Entry<Long, BlockChanges> one : wanted.entrySet()) {
        long block = one.getKey();
        BlockChanges all = one.getValue().and(changed.get(block)).and(flushing.get(block));
        boolean again = changed.put(block, all) != null || flushing.containsKey(block);
        stored.remove(block);
        Content next = content.apply(block);
        int sum = again || next.sum() == next.before() ? BlockSum.NEVER_WRITTEN : next.sum();
        Intent intent = Intent.of(block, sum, all, next.bytes());
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
  }

  /**
   * What a block will hold.
   *
   * @param bytes all of it
   * @param sum of these
   * @param before the sum of what it holds
   */
  record Content(MemorySegment bytes, int sum, int before) {}

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
