package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.millrace.error.CorruptBlockException;

/**
 * The header of a sums file, one sector that a disk writes whole or not at all. It stands at the
 * beginning of each of the first two pages: one may be destroyed. A strand that was flushed has two
 * equal ones; where they differ, a write was interrupted, and the later one counts.
 *
 * <pre>
 *   0        8        12       16       24       28       32       40       48         56
 *   +--------+--------+--------+--------+--------+--------+--------+--------+----------+---
 *   | magic  |version | block  | file id| strand | runs   |  end   | epoch  |generation|
 *   |        |   2    | bytes  |        |        |        |        |        |          |
 *   +--------+--------+--------+--------+--------+--------+--------+--------+----------+---
 *   56                                    440       448    452 456        464      508      512
 *   +------------+-----------+----- ... ---+---------+------+---+----------+-- ... --+--------+
 *   | first page | end page  |    ... 0    | settled | its  | 0 | modified |    0    | CRC32C |   of 0-508
 *   |            |           |             | epoch+1 | sums |   |          |         |        |
 *   +------------+-----------+----- ... ---+---------+------+---+----------+-- ... --+--------+
 * </pre>
 *
 * @param id which strand
 * @param blockBytes bytes of a block; never changes
 * @param end the end of the strand as last made durable
 * @param epoch intents of this epoch and later ones count, earlier ones are done with
 * @param generation how often the strand was made durable: what others remember of it
 * @param pages which pages of sums there are
 * @param settled which intents are done with, though {@code epoch} does not say so yet
 * @param modified as {@link BlockStore#modified} says
 */
record SumsHeader(
    StrandKey id,
    int blockBytes,
    long end,
    long epoch,
    long generation,
    PageRuns pages,
    Settled settled,
    long modified) {

  static final int BYTES = 512;

  /** Where the second one is. */
  static final int COPY_AT = SumsPage.BYTES;

  private static final long MAGIC = 0x4d494c4c53554d53L; // "MILLSUMS"
  private static final int VERSION = 2;
  private static final int RUNS_AT = 56;
  private static final int SETTLED_AT = RUNS_AT + 2 * Long.BYTES * PageRuns.MAX_RUNS;
  private static final int MODIFIED_AT = SETTLED_AT + 2 * Long.BYTES;
  private static final int CRC_AT = 508;

  /** That of a new strand. */
  static SumsHeader first(StrandKey id, int blockBytes) {
    return new SumsHeader(id, blockBytes, 0, 0, 0, PageRuns.FIRST, Settled.NONE, 0);
  }

  /** Writes both, in one piece. */
  void writeTo(DiskFile file) throws IOException {
    ByteBuffer b = ByteBuffer.allocate(COPY_AT + BYTES);
    b.put(0, encoded()).put(COPY_AT, encoded());
    file.write(0, MemorySegment.ofBuffer(b));
  }

  private byte[] encoded() {
    ByteBuffer b = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    b.putLong(Long.reverseBytes(MAGIC)).putInt(VERSION).putInt(blockBytes);
    b.putLong(id.fileId()).putInt(id.strand()).putInt(pages.runs().size());
    b.putLong(end).putLong(epoch).putLong(generation);
    pages.runs().forEach(run -> b.putLong(run.from()).putLong(run.to()));
    b.putLong(SETTLED_AT, settled.epoch() + 1).putInt(SETTLED_AT + Long.BYTES, settled.sum());
    b.putLong(MODIFIED_AT, modified);
    return b.putInt(CRC_AT, crc(b)).array();
  }

  /**
   * The header of {@code file}, which must be that of strand {@code id}. If one of the two is
   * destroyed or older it is written anew.
   */
  static SumsHeader readFrom(DiskFile file, StrandKey id, String name) throws IOException {
    CorruptBlockException failure = null;
    SumsHeader best = null;
    boolean equal = true;
    for (long at : new long[] {0, COPY_AT}) {
      ByteBuffer b = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
      long got = FullReads.full(file, at, MemorySegment.ofBuffer(b));
      try {
        SumsHeader one = decode(b, got, id, name);
        equal &= best == null || best.equals(one);
        best = later(best, one);
      } catch (CorruptBlockException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (best == null) {
      throw failure == null ? broken(name + ": no header") : failure;
    }
    if (failure != null || !equal) {
      best.writeTo(file);
    }
    return best;
  }

  private static SumsHeader later(@Nullable SumsHeader a, SumsHeader b) {
    if (a == null || b.generation > a.generation) {
      return b;
    }
    return b.generation == a.generation && b.epoch > a.epoch ? b : a;
  }

  private static SumsHeader decode(ByteBuffer b, long got, StrandKey id, String name)
      throws CorruptBlockException {
    if (got < BYTES || b.getLong(0) != Long.reverseBytes(MAGIC)) {
      throw broken(name + ": not a sums file, or its header is destroyed");
    }
    if (b.getInt(8) != VERSION) { // checked first: others have their CRC elsewhere
      throw broken(
          name
              + ": format version "
              + b.getInt(8)
              + ", this program knows "
              + VERSION
              + "; or its header is destroyed");
    }
    if (b.getInt(CRC_AT) != crc(b)) {
      throw broken(
          "%s: header is destroyed: checksum expected %x, found %x"
              .formatted(name, b.getInt(CRC_AT), crc(b)));
    }
    int blockBytes = b.getInt(12);
    if (!BlockSize.isValid(blockBytes)) {
      throw broken(
          "%s: blocks of %s bytes, this program knows powers of two from %s to %s"
              .formatted(name, blockBytes, BlockSize.MIN_BYTES, BlockSize.MAX_BYTES));
    }
    if (b.getLong(16) != id.fileId() || b.getInt(24) != id.strand()) {
      throw broken(
          name
              + ": foreign file: it belongs to file "
              + b.getLong(16)
              + " strand "
              + b.getInt(24)
              + ", not to "
              + id);
    }
    Settled settled = new Settled(b.getLong(SETTLED_AT) - 1, b.getInt(SETTLED_AT + Long.BYTES));
    return new SumsHeader(
        id,
        blockBytes,
        b.getLong(32),
        b.getLong(40),
        b.getLong(48),
        runs(b, name),
        settled,
        b.getLong(MODIFIED_AT));
  }

  private static PageRuns runs(ByteBuffer b, String name) throws CorruptBlockException {
    int count = b.getInt(28);
    if (count < 0 || count > PageRuns.MAX_RUNS) {
      throw broken(name + ": " + count + " runs of pages");
    }
    List<PageRuns.Run> runs = new ArrayList<>();
    for (int at = RUNS_AT; runs.size() < count; at += 2 * Long.BYTES) {
      runs.add(new PageRuns.Run(b.getLong(at), b.getLong(at + Long.BYTES)));
    }
    try {
      return new PageRuns(runs);
    } catch (IllegalArgumentException e) {
      throw broken(name + ": " + e.getMessage());
    }
  }

  /** How many blocks the strand has, up to its end. */
  long blocks() {
    return Math.ceilDiv(end, blockBytes);
  }

  /** The next generation, with another end and other pages. */
  SumsHeader next(long newEnd, PageRuns newPages) {
    return new SumsHeader(
        id, blockBytes, newEnd, epoch, generation + 1, newPages, Settled.NONE, modified);
  }

  /** The same with another epoch, whose intents all count. */
  SumsHeader withEpoch(long newEpoch) {
    return new SumsHeader(id, blockBytes, end, newEpoch, generation, pages, Settled.NONE, modified);
  }

  /** The same, of a flush that settles these intents. */
  SumsHeader settling(Settled intents) {
    return new SumsHeader(id, blockBytes, end, epoch, generation, pages, intents, modified);
  }

  /** The same, of a strand that was modified then. */
  SumsHeader modifiedAt(long nanos) {
    return new SumsHeader(id, blockBytes, end, epoch, generation, pages, settled, nanos);
  }

  private static int crc(ByteBuffer b) {
    CRC32C crc = new CRC32C();
    crc.update(b.slice(0, CRC_AT));
    return (int) crc.getValue();
  }

  private static CorruptBlockException broken(String message) {
    return new CorruptBlockException(message);
  }
}
