package org.millrace.array.zarr;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** The codec {@code crc32c}: four bytes of a checksum behind the bytes. Immutable. */
record Crc32cCodec() implements ByteCodec {

  static final int BYTES = Integer.BYTES;

  static Crc32cCodec of(Extension codec) {
    codec.fields().checkRest();
    return new Crc32cCodec();
  }

  private static int sum(byte[] bytes, int length) {
    CRC32C sum = new CRC32C();
    sum.update(bytes, 0, length);
    return (int) sum.getValue();
  }

  @Override
  public byte[] encode(byte[] bytes) {
    byte[] all = Arrays.copyOf(bytes, bytes.length + BYTES);
    little(all).putInt(bytes.length, sum(bytes, bytes.length));
    return all;
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public byte[] decode(byte[] stored, int most) throws MillraceException {
    int length = stored.length - BYTES;
    if (length < 0 || little(stored).getInt(length) != sum(stored, length)) {
      throw new MillraceException(
          ErrorCode.CORRUPT, "crc32c: the checksum of %s bytes is wrong".formatted(stored.length));
    }
    return Arrays.copyOf(stored, length);
  }
}
