package org.millrace.cli.copy;

import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.millrace.access.copy.Crc32cJoin;

/** Counts and sums consecutive bytes. Used by one thread. */
final class ByteSum {

  /** The grain of holes: blocks of zeros are not written. */
  static final int BLOCK_BYTES = 64 << 10;

  private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[BLOCK_BYTES]);

  private final LongConsumer progress;
  private long bytes;
  private int checksum;
  private boolean endsInZeros = true;

  ByteSum(LongConsumer progress) {
    this.progress = progress;
  }

  /** How many have gone by. */
  long bytes() {
    return bytes;
  }

  /** Whether a hole may begin here. */
  boolean endsInZeros() {
    return endsInZeros;
  }

  void add(MemorySegment more) {
    CRC32C crc = new CRC32C();
    crc.update(more.asByteBuffer());
    checksum = Crc32cJoin.join(checksum, (int) crc.getValue(), more.byteSize());
    bytes += more.byteSize();
    long last = Math.max(0, more.byteSize() - BLOCK_BYTES);
    endsInZeros = isZero(more, last, more.byteSize());
    progress.accept(more.byteSize());
  }

  /** Bytes with this checksum go by, of which nothing else is known. */
  void add(int sum, long count) {
    checksum = Crc32cJoin.join(checksum, sum, count);
    bytes += count;
    endsInZeros = false;
    progress.accept(count);
  }

  void addZeros(long count) {
    if (count > 0) {
      checksum = Crc32cJoin.joinZeros(checksum, count);
      bytes += count;
      progress.accept(count);
    }
  }

  FileCopier.Load load() {
    return new FileCopier.Load(bytes, checksum);
  }

  /** Whether a part of {@code bytes}, a block at most, is zero. */
  static boolean isZero(MemorySegment bytes, long from, long to) {
    return MemorySegment.mismatch(bytes, from, to, ZEROS, 0, to - from) < 0;
  }
}
