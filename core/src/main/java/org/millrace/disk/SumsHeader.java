package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The first sector of a sums file. Written in one piece of {@link #BYTES}, which a disk writes
 * whole or not at all.
 *
 * <pre>
 *   0        8        12       16       24       28       32       40       48       52     512
 *   +--------+--------+--------+--------+--------+--------+--------+--------+--------+------+
 *   | magic  |version | block  | file id| strand |   0    |  end   | epoch  | CRC32C | 0 ...|
 *   |        |        | bytes  |        |        |        |        |        | of 0-48|      |
 *   +--------+--------+--------+--------+--------+--------+--------+--------+--------+------+
 * </pre>
 *
 * @param id which strand
 * @param blockBytes bytes of a block; never changes
 * @param end the end of the strand as last made durable
 * @param epoch intents of this epoch and later ones count, earlier ones are done with
 */
record SumsHeader(StrandKey id, int blockBytes, long end, long epoch) {

  static final int BYTES = 512;

  private static final long MAGIC = 0x4d494c4c53554d53L; // "MILLSUMS"
  private static final int VERSION = 1;
  private static final int CRC_AT = 48;

  void writeTo(DiskFile file) throws IOException {
    ByteBuffer b = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    b.putLong(Long.reverseBytes(MAGIC)).putInt(VERSION).putInt(blockBytes);
    b.putLong(id.fileId()).putInt(id.strand()).putInt(0).putLong(end).putLong(epoch);
    b.putInt(crc(b));
    file.write(0, MemorySegment.ofBuffer(b.clear()));
  }

  /** The header of {@code file}, which must be that of strand {@code id}. */
  static SumsHeader readFrom(DiskFile file, StrandKey id, String name) throws IOException {
    ByteBuffer b = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    long got = FullReads.full(file, 0, MemorySegment.ofBuffer(b));
    if (got < BYTES || b.getLong(0) != Long.reverseBytes(MAGIC)) {
      throw broken(name + ": not a sums file, or its header is destroyed");
    }
    if (b.getInt(CRC_AT) != crc(b)) {
      throw broken(
          name
              + ": header is destroyed: checksum expected "
              + hex(b.getInt(CRC_AT))
              + ", found "
              + hex(crc(b)));
    }
    if (b.getInt(8) != VERSION) {
      throw broken(name + ": format version " + b.getInt(8) + ", this program knows " + VERSION);
    }
    int blockBytes = b.getInt(12);
    if (!BlockSize.isValid(blockBytes)) {
      throw broken(
          "%s: blocks of %d bytes, this program knows powers of two from %d to %d"
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
    return new SumsHeader(id, blockBytes, b.getLong(32), b.getLong(40));
  }

  /** How many blocks the strand has, up to its end. */
  long blocks() {
    return Math.ceilDiv(end, blockBytes);
  }

  /** The same with another end. */
  SumsHeader withEnd(long newEnd) {
    return new SumsHeader(id, blockBytes, newEnd, epoch);
  }

  /** The same with another epoch. */
  SumsHeader withEpoch(long newEpoch) {
    return new SumsHeader(id, blockBytes, end, newEpoch);
  }

  private static int crc(ByteBuffer b) {
    CRC32C crc = new CRC32C();
    crc.update(b.slice(0, CRC_AT));
    return (int) crc.getValue();
  }

  private static String hex(int crc) {
    return Integer.toHexString(crc);
  }

  private static MillraceException broken(String message) {
    return new MillraceException(ErrorCode.CORRUPT, message);
  }
}
