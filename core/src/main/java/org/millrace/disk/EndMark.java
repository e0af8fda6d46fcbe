package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A small file beside a log that remembers how far the log had come, so that a log that was cut,
 * replaced by an older copy or deleted is told from one that ends there. It is written after the
 * log was forced, and is not forced itself: after a loss of power it may be behind, never ahead. A
 * mark that is destroyed or missing says nothing, and is written anew.
 *
 * <pre>
 *   0          8         12       16           24       32       36
 *   +----------+---------+--------+------------+--------+--------+
 *   | MILLMARK | version |   0    | generation | frames | CRC32C |   of 0-32, little-endian
 *   +----------+---------+--------+------------+--------+--------+
 * </pre>
 *
 * @param generation of the log
 * @param frames that it had
 */
public record EndMark(long generation, long frames) {

  private static final long MAGIC = 0x4b52414d_4c4c494dL; // "MILLMARK"
  private static final int VERSION = 1;
  private static final int CRC_AT = 32;
  private static final int BYTES = 36;

  /** Before the first log. */
  static final EndMark NOTHING = new EndMark(0, 0);

  /** Where {@code log} has come to. */
  public static EndMark of(Log log) {
    return new EndMark(log.generation(), log.frames());
  }

  /** What the file says, if it says anything. */
  public static Optional<EndMark> read(Disk disk, String name) throws IOException {
    if (!disk.exists(name)) {
      return Optional.empty();
    }
    ByteBuffer b = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    try (DiskFile file = disk.open(name)) {
      long got = FullReads.full(file, 0, MemorySegment.ofBuffer(b));
      boolean whole =
          got == BYTES
              && b.getLong(0) == MAGIC
              && b.getInt(Long.BYTES) == VERSION
              && b.getInt(CRC_AT) == crc(b);
      return whole ? Optional.of(new EndMark(b.getLong(16), b.getLong(24))) : Optional.empty();
    }
  }

  /** Whether a log that is here had come further than {@code other}. */
  public boolean isAhead(EndMark other) {
    return generation != other.generation ? generation > other.generation : frames > other.frames;
  }

  /** Writes it, not durably. */
  public void write(DiskFile file) throws IOException {
    ByteBuffer b = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    b.putLong(MAGIC).putInt(VERSION).putInt(0).putLong(generation).putLong(frames);
    b.putInt(crc(b));
    file.write(0, MemorySegment.ofBuffer(b.clear()));
  }

  private static int crc(ByteBuffer b) {
    CRC32C crc = new CRC32C();
    crc.update(b.slice(0, CRC_AT));
    return (int) crc.getValue();
  }
}
