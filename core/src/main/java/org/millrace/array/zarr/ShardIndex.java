package org.millrace.array.zarr;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.millrace.array.ElementType;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * How the index of a shard is stored: where each chunk begins and how long it is, two numbers of
 * eight bytes for each chunk; both are -1 for a chunk that is not stored. Immutable.
 *
 * @param chunks how many there are
 * @param order of the bytes of a number
 * @param hasSum whether a checksum follows
 * @param isAtEnd whether it is at the end of the shard, or at its start
 */
record ShardIndex(int chunks, ByteOrder order, boolean hasSum, boolean isAtEnd) {

  private static final int ENTRY_BYTES = 2 * Long.BYTES;
  private static final int MOST_CHUNKS = (Integer.MAX_VALUE - 64) / ENTRY_BYTES;
  private static final long MISSING = -1;

  static ShardIndex of(long chunks, List<Extension> codecs, boolean isAtEnd) {
    if (chunks > MOST_CHUNKS) {
      throw new IllegalArgumentException(
          "a shard of %s chunks, at most %s are possible".formatted(chunks, MOST_CHUNKS));
    }
    List<String> names = codecs.stream().map(Extension::name).toList();
    if (!names.equals(List.of("bytes")) && !names.equals(List.of("bytes", "crc32c"))) {
      throw new IllegalArgumentException(
          "\"index_codecs\" " + names + " are not \"bytes\", alone or with \"crc32c\"");
    }
    ElementType type = Codecs.ordered(ElementType.UINT64, codecs.getFirst());
    if (names.size() == 2) {
      var _ = Crc32cCodec.of(codecs.getLast());
    }
    return new ShardIndex((int) chunks, type.order(), names.size() == 2, isAtEnd);
  }

  int bytes() {
    return chunks * ENTRY_BYTES + (hasSum ? Crc32cCodec.BYTES : 0);
  }

  /** An index whose chunks are all missing: pairs of start and length. */
  long[] missing() {
    long[] entries = new long[2 * chunks];
    Arrays.fill(entries, MISSING);
    return entries;
  }

  static boolean isMissing(long[] entries, int chunk) {
    return entries[2 * chunk] == MISSING && entries[2 * chunk + 1] == MISSING;
  }

  byte[] encode(long[] entries) {
    ByteBuffer out = ByteBuffer.allocate(chunks * ENTRY_BYTES).order(order);
    out.asLongBuffer().put(entries);
    return hasSum ? new Crc32cCodec().encode(out.array()) : out.array();
  }

  /**
   * Reads an index.
   *
   * @param shardBytes how long the shard is: no chunk may reach beyond it
   */
  long[] decode(byte[] stored, long shardBytes) throws MillraceException {
    if (stored.length != bytes()) {
      throw new MillraceException(
          ErrorCode.CORRUPT,
          "the shard has %s bytes, too few for an index of %s".formatted(shardBytes, bytes()));
    }
    byte[] plain = hasSum ? new Crc32cCodec().decode(stored, stored.length) : stored;
    long[] entries = new long[2 * chunks];
    ByteBuffer.wrap(plain).order(order).asLongBuffer().get(entries);
    for (int c = 0; c < chunks; c++) {
      long from = entries[2 * c];
      long length = entries[2 * c + 1];
      if (!isMissing(entries, c) && (from < 0 || length < 0 || length > shardBytes - from)) {
        throw new MillraceException(
            ErrorCode.CORRUPT,
            "chunk %s of a shard of %s bytes: %s bytes from byte %s on"
                .formatted(
                    c, shardBytes, Long.toUnsignedString(length), Long.toUnsignedString(from)));
      }
    }
    return entries;
  }
}
