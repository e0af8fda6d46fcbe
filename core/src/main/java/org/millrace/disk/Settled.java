package org.millrace.disk;

import java.nio.ByteBuffer;
import java.util.SortedMap;
import java.util.zip.CRC32C;

/**
 * What the header of a flush says of the intents whose epoch it ends: the flush has forced the
 * blocks that they name before, and stores these sums of them together with the header. If the sums
 * are found on the disk after a crash, the flush has come to its end but for dropping the intents,
 * and the blocks must match their sums like any others. If they are not, the intents count.
 *
 * @param epoch of the intents; -1 for none
 * @param sum CRC32C of the blocks' numbers and sums, ascending by number
 */
record Settled(long epoch, int sum) {

  /** By a header that ends no epoch. */
  static final Settled NONE = new Settled(-1, 0);

  /** Of the intents of {@code epoch}, which name these blocks, here with their sums. */
  static Settled of(long epoch, SortedMap<Long, Integer> sums) {
    ByteBuffer b = ByteBuffer.allocate(Long.BYTES + Integer.BYTES);
    CRC32C crc = new CRC32C();
    sums.forEach((block, sum) -> crc.update(b.clear().putLong(block).putInt(sum).flip()));
    return new Settled(epoch, (int) crc.getValue());
  }
}
