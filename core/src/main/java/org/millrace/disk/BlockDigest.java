package org.millrace.disk;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A checksum, CRC32C, over the numbers and checksums of those blocks of a strand that were written,
 * in ascending order. Belongs to one thread.
 */
final class BlockDigest {

  private final CRC32C crc = new CRC32C();
  private final ByteBuffer entry = ByteBuffer.allocate(Long.BYTES + Integer.BYTES);

  void add(long block, int sum) {
    crc.update(entry.clear().putLong(block).putInt(sum).flip());
  }

  long value() {
    return crc.getValue();
  }
}
