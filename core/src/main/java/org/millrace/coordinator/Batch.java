package org.millrace.coordinator;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * One entry of the group's log: records that are appended together, or none, which only shows that
 * a leader still leads. Big-endian.
 *
 * <pre>
 * entry = version u8, writer i64, number i64, count i32, count times: length i32, bytes
 *
 * version   1
 * writer    a number drawn by each leader for its office
 * number    one more than that of the last batch; of an entry without records it is 0
 * </pre>
 *
 * <p>A member applies a batch only if its number is the next one. So a batch of a leader that was
 * followed by another is refused by all, even if it gets into the log, and one that is there twice
 * is applied once. Immutable.
 *
 * @param writer who appends it
 * @param number its place among all batches
 * @param records what it changes
 */
public record Batch(long writer, long number, List<byte[]> records) {

  private static final int VERSION = 1;
  private static final int MAX_RECORDS = 1 << 24;

  /** Keeps a copy of the list. */
  public Batch {
    records = List.copyOf(records);
  }

  /** Changes nothing. */
  static Batch beat(long writer) {
    return new Batch(writer, 0, List.of());
  }

  boolean isBeat() {
    return number == 0;
  }

  /** Its bytes. */
  public byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      write(out);
    } catch (IOException e) {
      throw new IllegalStateException("memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  /** Writes its bytes. */
  public void write(DataOutputStream out) throws IOException {
    out.writeByte(VERSION);
    out.writeLong(writer);
    out.writeLong(number);
    out.writeInt(records.size());
    for (byte[] record : records) {
      out.writeInt(record.length);
      out.write(record);
    }
  }

  /** What {@link #encode} has made. */
  public static Batch decode(byte[] bytes) throws IOException {
    return read(new DataInputStream(new ByteArrayInputStream(bytes)));
  }

  /** What {@link #write} has written. */
  public static Batch read(DataInputStream in) throws IOException {
    int version = in.readUnsignedByte();
    if (version != VERSION) {
      throw new MillraceException(
          ErrorCode.CORRUPT,
          "an entry of the coordinators' log is of version %s, this is version %s: use one version"
                  .formatted(version, VERSION)
              + " of Millrace for all coordinators");
    }
    long writer = in.readLong();
    long number = in.readLong();
    int count = in.readInt();
    if (count < 0 || count > MAX_RECORDS) {
      throw new MillraceException(ErrorCode.CORRUPT, "an entry of " + count + " records");
    }
    List<byte[]> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int length = in.readInt();
      byte[] record = length < 0 ? new byte[0] : in.readNBytes(length);
      if (record.length != length) {
        throw new MillraceException(ErrorCode.CORRUPT, "an entry ends within a record");
      }
      records.add(record);
    }
    return new Batch(writer, number, records);
  }
}
