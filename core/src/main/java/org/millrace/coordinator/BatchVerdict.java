package org.millrace.coordinator;

import java.nio.ByteBuffer;

/**
 * What members say of an entry that they have applied. Immutable.
 *
 * @param applied whether it is part of the state now, applied once
 * @param term in which it was appended
 */
public record BatchVerdict(boolean applied, long term) {

  /** Its bytes. */
  public byte[] encode() {
    return ByteBuffer.allocate(1 + Long.BYTES).put((byte) (applied ? 1 : 0)).putLong(term).array();
  }

  /** What {@link #encode} has made. */
  public static BatchVerdict decode(ByteBuffer bytes) {
    return new BatchVerdict(bytes.get() == 1, bytes.getLong());
  }
}
