package org.millrace.client;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.millrace.error.CorruptBlockException;

/**
 * The writes of a transaction, as the content of its log. Numbers are big-endian.
 *
 * <pre>
 *   log  = magic:long version:int files:int File* sum:int       sum: CRC32C of all before it
 *   File = id:long path:(length:int UTF-8) runs:int Run*
 *   Run  = offset:long bytes:(length:int bytes)
 * </pre>
 *
 * Stateless.
 */
final class RedoLog {

  private static final long MAGIC = 0x4d52_5245_444f_4c47L; // "MRREDOLG"
  private static final int VERSION = 1;

  /** Of each page every other byte, each a run of its own; and room for the paths. */
  private static final long MAX_LENGTH =
      Transaction.MAX_BYTES / 2 * (Long.BYTES + Integer.BYTES + 1) + (1 << 20);

  private RedoLog() {}

  /** The bytes of one file. */
  record Part(long file, String path, List<Run> runs) {}

  /** {@code bytes} at {@code offset} of the file. */
  record Run(long offset, ByteBuffer bytes) {}

  /** What is written to one file. */
  record Written(long file, String path, WrittenBytes bytes) {}

  static byte[] encode(List<Written> files) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream to = new DataOutputStream(bytes);
    to.writeLong(MAGIC);
    to.writeInt(VERSION);
    to.writeInt(files.size());
    for (Written file : files) {
      to.writeLong(file.file);
      byte[] path = file.path.getBytes(StandardCharsets.UTF_8);
      to.writeInt(path.length);
      to.write(path);
      int[] runs = {0};
      file.bytes.forEach((_, _, _, _) -> runs[0]++);
      to.writeInt(runs[0]);
      file.bytes.forEach(
          (offset, from, at, length) -> {
            to.writeLong(offset);
            to.writeInt(length);
            to.write(from, at, length);
          });
    }
    to.writeInt(sum(bytes.toByteArray(), bytes.size()));
    return bytes.toByteArray();
  }

  private static int sum(byte[] bytes, int length) {
    CRC32C sum = new CRC32C();
    sum.update(bytes, 0, length);
    return (int) sum.getValue();
  }

  /**
   * The length of a log, before anything of it is read.
   *
   * @throws CorruptBlockException if no transaction can have written so much
   */
  static int requireLength(long length, String name) throws CorruptBlockException {
    if (length > MAX_LENGTH) {
      throw new CorruptBlockException(
          name + ": a transaction's log of " + length + " bytes, at most " + MAX_LENGTH);
    }
    return Math.toIntExact(length);
  }

  /** Whatever the bytes are: the parts, or the exception. */
  static List<Part> decode(byte[] log, String name) throws CorruptBlockException {
    try {
      return parts(log, name);
    } catch (IllegalArgumentException | IndexOutOfBoundsException | BufferUnderflowException e) {
      CorruptBlockException corrupt =
          new CorruptBlockException(
              name + ": the log of a transaction has lengths that do not fit");
      corrupt.initCause(e);
      throw corrupt;
    }
  }

  private static List<Part> parts(byte[] log, String name) throws CorruptBlockException {
    int end = log.length - Integer.BYTES;
    ByteBuffer from = ByteBuffer.wrap(log);
    if (end < Long.BYTES + 2 * Integer.BYTES || from.getInt(end) != sum(log, end)) {
      throw new CorruptBlockException(name + ": the log of a transaction is damaged");
    }
    if (from.getLong() != MAGIC || from.getInt() != VERSION) {
      throw new CorruptBlockException(
          name + " is not a transaction log that this version can read");
    }
    List<Part> parts = new ArrayList<>();
    int files = from.getInt();
    for (int i = 0; i < files; i++) {
      long file = from.getLong();
      String path = StandardCharsets.UTF_8.decode(take(from)).toString();
      int count = from.getInt();
      List<Run> runs = new ArrayList<>();
      for (int r = 0; r < count; r++) {
        runs.add(new Run(from.getLong(), take(from)));
      }
      parts.add(new Part(file, path, runs));
    }
    return parts;
  }

  private static ByteBuffer take(ByteBuffer from) {
    int length = from.getInt();
    ByteBuffer bytes = from.slice(from.position(), length);
    from.position(from.position() + length);
    return bytes;
  }
}
