package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;

/**
 * The record of blocks that are about to be overwritten, with their new sums. It is durable before
 * the first byte of such a block changes, so that a half-written block is recognized after a crash.
 *
 * <p>Frames of one size stand in two lanes, for even and odd epochs: while a flush makes the blocks
 * of one epoch durable, the next epoch's intents go to the other lane. A lane starts over when its
 * turn comes again; frames of earlier epochs that it still holds are recognized by their number. A
 * frame that is not whole was never forced, so the write it announces never began: it is passed
 * over.
 *
 * <pre>
 *   file     | frame 0 even | frame 0 odd | frame 1 even | frame 1 odd | ...
 *
 *   frame    0       4       8       16       24       28      32      40    44                4096
 *            +-------+-------+-------+--------+--------+-------+-------+-----+-- ... --+---------+
 *            | magic | CRC   | epoch | file id| strand | count | block | sum | block.. | 0       |
 *            +-------+-------+-------+--------+--------+-------+-------+-----+-- ... --+---------+
 *                            |------------- CRC32C of this, little-endian ------------|
 * </pre>
 *
 * <p>Safe for use by several threads, except that nothing is recorded while an epoch begins.
 */
final class Intents {

  static final int FRAME_BYTES = 4096;

  private static final int MAGIC = 0x544e494d; // "MINT"
  private static final int CRC_AT = 4;
  private static final int CHECKED_FROM = 8;
  private static final int ENTRIES_AT = 32;
  private static final int ENTRY_BYTES = Long.BYTES + Integer.BYTES;
  private static final int PER_FRAME = (FRAME_BYTES - ENTRIES_AT) / ENTRY_BYTES;

  /**
   * What a file of intents says.
   *
   * @param sums the blocks that may be half written, with the sums they were to have
   * @param lastEpoch the highest epoch found, or -1
   */
  record Found(Map<Long, Integer> sums, long lastEpoch) {}

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

  Intents(DiskFile file, StrandKey id, int maxFrames) {
    this.file = file;
    this.id = id;
    this.maxFrames = maxFrames;
  }

  /** What counts after a crash: the intents of {@code firstEpoch} and later. */
  Found read(long firstEpoch) throws IOException {
    Map<Long, Integer> sums = new HashMap<>();
    long last = -1;
    ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    long size = file.size();
    for (long at = 0; at + FRAME_BYTES <= size; at += FRAME_BYTES) {
      FullReads.full(file, at, MemorySegment.ofBuffer(frame.clear()));
      if (!isWhole(frame)) {
        continue;
      }
      last = Math.max(last, frame.getLong(8));
      if (frame.getLong(8) >= firstEpoch) {
        for (int i = 0; i < frame.getInt(28); i++) {
          int entry = ENTRIES_AT + i * ENTRY_BYTES;
          sums.put(frame.getLong(entry), frame.getInt(entry + Long.BYTES));
        }
      }
    }
    return new Found(sums, last);
  }

  private boolean isWhole(ByteBuffer frame) {
    int count = frame.getInt(28);
    return frame.getInt(0) == MAGIC
        && count >= 0
        && count <= PER_FRAME
        && frame.getInt(CRC_AT) == crc(frame, count)
        && frame.getLong(16) == id.fileId()
        && frame.getInt(24) == id.strand();
  }

  /** Starts an epoch: its lane begins anew. */
  void begin(long newEpoch) {
    lock.lock();
    try {
      epoch = newEpoch;
      frames = 0;
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

  /** Returns after it is durable that these blocks are about to get these sums. */
  void record(long[] blocks, int[] sums) throws IOException {
    lock.lock();
    try {
      for (int done = 0; done < blocks.length; done += PER_FRAME) {
        int count = Math.min(PER_FRAME, blocks.length - done);
        ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        frame
            .putInt(MAGIC)
            .putInt(0)
            .putLong(epoch)
            .putLong(id.fileId())
            .putInt(id.strand())
            .putInt(count);
        for (int i = done; i < done + count; i++) {
          frame.putLong(blocks[i]).putInt(sums[i]);
        }
        frame.putInt(CRC_AT, crc(frame, count));
        long slot = 2L * frames + (epoch & 1);
        file.write(slot * FRAME_BYTES, MemorySegment.ofBuffer(frame.clear()));
        frames++;
      }
    } finally {
      lock.unlock();
    }
    file.force();
  }

  private static int crc(ByteBuffer frame, int count) {
    CRC32C crc = new CRC32C();
    crc.update(frame.slice(CHECKED_FROM, ENTRIES_AT - CHECKED_FROM + count * ENTRY_BYTES));
    return (int) crc.getValue();
  }
}
