package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * An append-only log of records in a file. The records of one {@link #append} form one frame, which
 * is durable when append returns, and atomic in a crash.
 *
 * <pre>
 *   file     8 bytes magic and version, then frames without gaps
 *
 *   frame    0        4        8        12                12 + length
 *            +--------+--------+--------+-----------------+-----
 *            | length | CRC32C | length | record          | length, record, ...
 *            | of all |        | of one |                 |
 *            +--------+--------+--------+-----------------+-----
 *                              |----- as many bytes as the first length -----|   little-endian
 * </pre>
 *
 * <p>The CRC32C is over the frame's offset in the file, its length and its bytes. A frame is forced
 * before the next is begun; therefore a bad frame with no good one behind it is the torn end of the
 * log, never acknowledged, and is cut off, while a bad frame with a good one behind it is damage,
 * and an error.
 *
 * <p>Safe for use by several threads. Closing closes the file. After a failed append the log
 * refuses further ones, since it is not known what the disk holds; opening it again finds out.
 */
public final class Log implements AutoCloseable {

  /** A frame's records together with their lengths are no longer than this. */
  public static final int MAX_FRAME_BYTES = 64 << 20;

  private static final long MAGIC = 0x01_474f4c4c4c494dL; // "MILLLOG", version 1
  private static final int START = Long.BYTES;
  private static final int FRAME_HEADER = 2 * Integer.BYTES;

  private final DiskFile file;
  private final long cutBytes;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  @GuardedBy("lock")
  private long end;

  @GuardedBy("lock")
  private List<byte[]> records;

  @GuardedBy("lock")
  private @Nullable IOException failure;

  private Log(DiskFile file, long end, long cutBytes, List<byte[]> records) {
    this.file = file;
    this.end = end;
    this.cutBytes = cutBytes;
    this.records = records;
  }

  /**
   * Opens the log on {@code file}, which may be empty, and replays it. The log then owns the file.
   */
  public static Log open(DiskFile file) throws IOException {
    long size = file.size();
    if (size > Integer.MAX_VALUE - FRAME_HEADER) {
      throw new MillraceException(
          ErrorCode.DISK, file.name() + ": a log of " + size + " bytes is too long to replay");
    }
    byte[] bytes = new byte[(int) size];
    long got = FullReads.full(file, 0, MemorySegment.ofArray(bytes));
    ByteBuffer content =
        ByteBuffer.wrap(bytes, 0, (int) got).slice().order(ByteOrder.LITTLE_ENDIAN);
    if (!hasMagic(file, content)) {
      file.resize(0);
      file.write(0, MemorySegment.ofBuffer(buffer(START).putLong(MAGIC).flip()));
      file.force();
      return new Log(file, START, got, new ArrayList<>());
    }
    List<byte[]> records = new ArrayList<>();
    int at = START;
    for (int next = frameEnd(content, at); next > 0; next = frameEnd(content, at)) {
      split(content, at, next, records);
      at = next;
    }
    int good = goodFrameAfter(content, at);
    if (good > 0) {
      throw new CorruptBlockException(
          file.name()
              + ": record at offset "
              + at
              + " is destroyed: a good one follows at offset "
              + good);
    }
    if (at < size) {
      file.resize(at);
      file.force();
    }
    return new Log(file, at, isZero(content, at) ? 0 : size - at, records);
  }

  /**
   * The records of the log on {@code file}, oldest first, for readers that leave it alone: another
   * process may be appending to it, so what is not whole at its end is passed over.
   */
  static List<byte[]> peek(DiskFile file) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(file.size())];
    long got = FullReads.full(file, 0, MemorySegment.ofArray(bytes));
    ByteBuffer content =
        ByteBuffer.wrap(bytes, 0, (int) got).slice().order(ByteOrder.LITTLE_ENDIAN);
    List<byte[]> records = new ArrayList<>();
    if (content.limit() >= START && content.getLong(0) == MAGIC) {
      int at = START;
      for (int next = frameEnd(content, at); next > 0; next = frameEnd(content, at)) {
        split(content, at, next, records);
        at = next;
      }
    }
    return records;
  }

  /**
   * Whether the file begins as a log does. If not, it must be one whose first force never happened.
   */
  private static boolean hasMagic(DiskFile file, ByteBuffer content) throws IOException {
    if (content.limit() >= START && content.getLong(0) == MAGIC) {
      return true;
    }
    if (content.limit() <= START || isZero(content, 0)) {
      return false;
    }
    throw new CorruptBlockException(
        file.name() + ": at offset 0: not a log, or of another version");
  }

  /** Where the frame at {@code at} ends, or -1 if there is no good one. */
  private static int frameEnd(ByteBuffer content, int at) {
    if (content.limit() - at < FRAME_HEADER) {
      return -1;
    }
    int length = content.getInt(at);
    if (length <= 0 || length > content.limit() - at - FRAME_HEADER) {
      return -1;
    }
    boolean good =
        content.getInt(at + Integer.BYTES) == crc(at, content.slice(at + FRAME_HEADER, length));
    return good ? at + FRAME_HEADER + length : -1;
  }

  /** Where the first good frame behind the bad one at {@code bad} begins, or -1. */
  private static int goodFrameAfter(ByteBuffer content, int bad) {
    for (int at = bad + 1; at < content.limit(); at++) {
      if (frameEnd(content, at) > 0) {
        return at;
      }
    }
    return -1;
  }

  private static void split(ByteBuffer content, int from, int to, List<byte[]> records) {
    int at = from + FRAME_HEADER;
    while (at < to) {
      byte[] one = new byte[content.getInt(at)];
      content.get(at + Integer.BYTES, one);
      records.add(one);
      at += Integer.BYTES + one.length;
    }
  }

  private static boolean isZero(ByteBuffer content, int from) {
    for (int i = from; i < content.limit(); i++) {
      if (content.get(i) != 0) {
        return false;
      }
    }
    return true;
  }

  private static int crc(long offset, ByteBuffer body) {
    CRC32C crc = new CRC32C();
    crc.update(buffer(Long.BYTES + Integer.BYTES).putLong(offset).putInt(body.remaining()).flip());
    crc.update(body);
    return (int) crc.getValue();
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * The records found when the log was opened, oldest first; handed out once, so that they need not
   * be kept.
   */
  public List<byte[]> takeRecords() {
    lock.lock();
    try {
      List<byte[]> taken = records;
      records = List.of();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** How many bytes of a torn end were cut off when the log was opened; 0 if it ended in order. */
  public long cutBytes() {
    return cutBytes;
  }

  /** Bytes of the log. */
  public long size() {
    lock.lock();
    try {
      return end;
    } finally {
      lock.unlock();
    }
  }

  /** Appends {@code batch}, all or nothing, and returns after it is durable. */
  public void append(List<byte[]> batch) throws IOException {
    if (batch.isEmpty()) {
      return;
    }
    long length = 0;
    for (byte[] record : batch) {
      length += Integer.BYTES + record.length;
    }
    if (length > MAX_FRAME_BYTES) {
      throw new IllegalArgumentException(
          "records of " + length + " bytes together, at most " + MAX_FRAME_BYTES);
    }
    ByteBuffer frame = buffer(FRAME_HEADER + (int) length).putInt((int) length).putInt(0);
    for (byte[] record : batch) {
      frame.putInt(record.length).put(record);
    }
    lock.lock();
    try {
      if (failure != null) {
        throw new MillraceException(
            ErrorCode.DISK, file.name() + ": an earlier append failed", failure);
      }
      frame.putInt(Integer.BYTES, crc(end, frame.slice(FRAME_HEADER, (int) length)));
      file.write(end, MemorySegment.ofBuffer(frame.flip()));
      file.force();
      end += frame.limit();
    } catch (IOException e) {
      failure = failure == null ? e : failure;
      throw e;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
