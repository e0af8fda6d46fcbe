package org.millrace.disk;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The checksum of a block: CRC32C over the identity of the block and then its bytes. The identity
 * makes a block that is whole but stands in the wrong place (swapped, misdirected, another file's)
 * as wrong as a damaged one: two blocks of one strand, or of two strands of one file, whose numbers
 * differ have different sums for equal bytes, always, because a CRC sees every burst of up to its
 * own width.
 *
 * <pre>
 *   0          8        12         20                        20 + block bytes
 *   +----------+--------+----------+---------------------------+
 *   | file id  | strand | block    | the block, zeros at the   |   big-endian
 *   |          |        | number   | end of the strand         |
 *   +----------+--------+----------+---------------------------+
 * </pre>
 *
 * <p>The value {@link #NEVER_WRITTEN} stands for a block without content, so a CRC of that value is
 * replaced by {@link #INSTEAD}. Immutable.
 */
record BlockSum(StrandKey id) {

  /** The entry of a block that was never written. */
  static final int NEVER_WRITTEN = 0;

  /** What is stored where a CRC happens to be {@link #NEVER_WRITTEN}. */
  static final int INSTEAD = 1;

  private static final int PREFIX_BYTES = 20;

  /** The sum of block number {@code block} with this content. */
  int of(long block, MemorySegment content) {
    ByteBuffer prefix = ByteBuffer.allocate(PREFIX_BYTES);
    prefix.putLong(id.fileId()).putInt(id.strand()).putLong(block);
    CRC32C crc = new CRC32C();
    crc.update(prefix.array());
    crc.update(content.asByteBuffer());
    return stored((int) crc.getValue());
  }

  static int stored(int crc) {
    return crc == NEVER_WRITTEN ? INSTEAD : crc;
  }
}
