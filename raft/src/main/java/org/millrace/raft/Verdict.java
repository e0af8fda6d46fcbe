package org.millrace.raft;

import java.nio.ByteBuffer;

/**
 * What members say of an entry that they have applied. Immutable.
 *
 * @param applied whether it is part of the state now, applied once
 * @param term in which it was appended
 */
record Verdict(boolean applied, long term) {

  byte[] encode() {
    return ByteBuffer.allocate(1 + Long.BYTES).put((byte) (applied ? 1 : 0)).putLong(term).array();
  }

  static Verdict decode(ByteBuffer bytes) {
    return new Verdict(bytes.get() == 1, bytes.getLong());
  }
}
