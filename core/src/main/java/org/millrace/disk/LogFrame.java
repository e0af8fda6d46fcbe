package org.millrace.disk;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The bytes of a {@link Log}, little-endian. Everything begins at a sector and is filled up with
 * zeros to the next one.
 *
 * <pre>
 *   file     header, header again, frame 0, frame 0 again, frame 1, frame 1 again, ...
 *
 *   header   0          8            16       20    4096
 *            +----------+------------+--------+-------+
 *            | MILLLOG2 | generation | CRC32C | 0 ... |   of 0-16
 *            +----------+------------+--------+-------+
 *
 *   frame    0       4        8          16       20       24
 *            +-------+--------+----------+--------+--------+--------+--------------
 *            | MFRM  | length | number of| CRC32C | length | record | length, record
 *            |       | of all | the frame|        | of one |        | ..., then 0
 *            +-------+--------+----------+--------+--------+--------+--------------
 *                                                 |--- as many bytes as the first length ---|
 * </pre>
 *
 * The CRC of a frame is over the log's generation, the number of the frame, the length and the
 * bytes. Stateless.
 */
final class LogFrame {

  /** As much as a disk loses at once: many have sectors of this size beneath those of 512 bytes. */
  static final int SECTOR = 4096;

  private static final long MAGIC = 0x32_474f4c4c4c494dL; // "MILLLOG2"
  private static final int FRAME_MAGIC = 0x4d52464d; // "MFRM"
  private static final int HEADER_CRC_AT = 16;
  private static final int CRC_AT = 16;
  private static final int BODY_AT = 20;

  private LogFrame() {}

  static byte[] header(long generation) {
    byte[] bytes = new byte[SECTOR];
    ByteBuffer b = wrapped(bytes).putLong(MAGIC).putLong(generation);
    b.putInt(headerCrc(b));
    return bytes;
  }

  static boolean isHeader(byte[] bytes, int at) {
    if (at + SECTOR > bytes.length) {
      return false;
    }
    ByteBuffer b = ByteBuffer.wrap(bytes, at, SECTOR).slice().order(ByteOrder.LITTLE_ENDIAN);
    return b.getLong(0) == MAGIC && b.getInt(HEADER_CRC_AT) == headerCrc(b);
  }

  static long generation(byte[] bytes, int at) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(at + Long.BYTES);
  }

  private static int headerCrc(ByteBuffer header) {
    CRC32C crc = new CRC32C();
    crc.update(header.slice(0, HEADER_CRC_AT));
    return (int) crc.getValue();
  }

  /** The records of one frame, with their lengths. */
  static byte[] body(List<byte[]> records) {
    int length = 0;
    for (byte[] record : records) {
      length = Math.addExact(length, Math.addExact(Integer.BYTES, record.length));
    }
    byte[] bytes = new byte[length];
    ByteBuffer b = wrapped(bytes);
    for (byte[] record : records) {
      b.putInt(record.length).put(record);
    }
    return bytes;
  }

  /** One copy of a frame, up to the next sector. */
  static byte[] of(long generation, long number, byte[] body) {
    byte[] bytes = new byte[sectors(body.length)];
    ByteBuffer b = wrapped(bytes).putInt(FRAME_MAGIC).putInt(body.length).putLong(number);
    b.putInt(crc(generation, number, ByteBuffer.wrap(body))).put(body);
    return bytes;
  }

  /** How many bytes a copy of a frame with so long a body takes. */
  private static int sectors(int bodyBytes) {
    return Math.ceilDiv(BODY_AT + bodyBytes, SECTOR) * SECTOR;
  }

  static byte[] twice(byte[] copy) {
    byte[] both = Arrays.copyOf(copy, 2 * copy.length);
    System.arraycopy(copy, 0, both, copy.length, copy.length);
    return both;
  }

  /**
   * How many bytes the good copy of a frame at {@code at} takes, or -1 if there is none.
   *
   * @param log all of the file
   */
  static int goodAt(ByteBuffer log, int at, long generation) {
    if (log.limit() - at < BODY_AT || log.getInt(at) != FRAME_MAGIC) {
      return -1;
    }
    int length = log.getInt(at + Integer.BYTES);
    if (length <= 0 || length > log.limit() - at - BODY_AT) {
      return -1;
    }
    int crc = crc(generation, number(log, at), log.slice(at + BODY_AT, length));
    return log.getInt(at + CRC_AT) == crc ? sectors(length) : -1;
  }

  /**
   * How many bytes the copy of frame {@code number} takes whose first sector stands at {@code at},
   * whatever became of the others; -1 if none does.
   */
  static int begunAt(ByteBuffer log, int at, long number) {
    if (log.limit() - at < BODY_AT || log.getInt(at) != FRAME_MAGIC || number(log, at) != number) {
      return -1;
    }
    int length = log.getInt(at + Integer.BYTES);
    return length <= 0 || length > Log.MAX_FRAME_BYTES ? -1 : sectors(length);
  }

  static long number(ByteBuffer log, int at) {
    return log.getLong(at + 2 * Integer.BYTES);
  }

  static List<byte[]> records(ByteBuffer log, int at) {
    List<byte[]> records = new ArrayList<>();
    int next = at + BODY_AT;
    int end = next + log.getInt(at + Integer.BYTES);
    while (next < end) {
      byte[] one = new byte[log.getInt(next)];
      log.get(next + Integer.BYTES, one);
      records.add(one);
      next += Integer.BYTES + one.length;
    }
    return records;
  }

  private static int crc(long generation, long number, ByteBuffer body) {
    CRC32C crc = new CRC32C();
    ByteBuffer prefix = wrapped(new byte[2 * Long.BYTES + Integer.BYTES]);
    crc.update(prefix.putLong(generation).putLong(number).putInt(body.remaining()).flip());
    crc.update(body);
    return (int) crc.getValue();
  }

  private static ByteBuffer wrapped(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
