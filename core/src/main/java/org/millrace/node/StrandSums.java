package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.millrace.cache.CachedStrand;
import org.millrace.env.Env;
import org.millrace.env.Work;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.NodeRequest;

/** Computes checksums of a strand's bytes without sending them. Stateless. */
final class StrandSums {

  /** So much is read at a time, and is still near when it is summed. */
  private static final int PIECE = 256 << 10;

  /** How much one request may ask for: others wait for the same threads. */
  private static final long MAX_BYTES = 1L << 30;

  private static final long MAX_SUMS = 1 << 20;

  private StrandSums() {}

  static List<Integer> of(Env env, CachedStrand strand, NodeRequest.Sum wanted) throws IOException {
    long from = wanted.from();
    long to = wanted.to();
    long unit = wanted.unit();
    if (from < 0
        || from > to
        || to - from > MAX_BYTES
        || unit < 1
        || (to - from) / unit > MAX_SUMS) {
      throw new MillraceException(
          ErrorCode.INVALID, "checksums of " + from + " to " + to + " by " + unit);
    }
    List<Integer> sums = new ArrayList<>();
    byte[] piece = new byte[(int) Math.min(PIECE, to - from)];
    long at = from;
    while (at < to) {
      long end = Math.min(to, at + (unit - at % unit)); // unit may be as large as it likes
      sums.add(sum(strand, at, end, piece));
      at = end;
    }
    env.charge(Work.CHECKSUM, to - from);
    return sums;
  }

  private static int sum(CachedStrand strand, long from, long to, byte[] piece) throws IOException {
    MemorySegment memory = MemorySegment.ofArray(piece);
    CRC32C sum = new CRC32C();
    for (long at = from; at < to; ) {
      int length = (int) Math.min(piece.length, to - at);
      int got = (int) strand.read(at, memory, 0, length);
      Arrays.fill(piece, Math.max(0, got), length, (byte) 0);
      sum.update(piece, 0, length);
      at += length;
    }
    return (int) sum.getValue();
  }
}
