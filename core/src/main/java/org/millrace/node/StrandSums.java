package org.millrace.node;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.millrace.cache.BlockPinner;
import org.millrace.cache.CachedStrand;
import org.millrace.env.Env;
import org.millrace.env.Work;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.NodeRequest;

/** Computes checksums of a strand's bytes where they lie in the cache. For one thread. */
final class StrandSums {

  /** So many bytes are brought from the disk at a time. */
  private static final long LOAD_BYTES = 1 << 20;

  /** How much one request may ask for: others wait for the same threads. */
  private static final long MAX_BYTES = 1L << 30;

  private static final long MAX_SUMS = 1 << 20;

  private static final byte[] ZEROS = new byte[64 << 10];

  // constant after construction
  private final CachedStrand strand;
  private final BlockPinner pinner;
  private final int blockBytes;

  // blocks before this one were brought here
  private long loaded;

  private StrandSums(CachedStrand strand, long from) {
    this.strand = strand;
    this.pinner = strand.pinner();
    this.blockBytes = strand.blockBytes();
    this.loaded = from / blockBytes;
  }

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
    StrandSums all = new StrandSums(strand, from);
    List<Integer> sums = new ArrayList<>();
    long at = from;
    while (at < to) {
      long end = Math.min(to, at + (unit - at % unit)); // unit may be as large as it likes
      sums.add(all.sum(at, end, to));
      at = end;
    }
    env.charge(Work.CHECKSUM, to - from);
    return sums;
  }

  private int sum(long from, long to, long last) throws IOException {
    CRC32C sum = new CRC32C();
    for (long at = from; at < to; ) {
      int in = (int) (at % blockBytes);
      int length = (int) Math.min(to - at, blockBytes - in);
      int there = Math.clamp(strand.end() - at, 0, length); // no byte behind it counts
      load(at / blockBytes, last);
      if (there == 0 || !pinner.read(at / blockBytes, in, in + there)) {
        there = 0;
      } else {
        try {
          sum.update(pinner.memory().asSlice(in, there).asByteBuffer());
        } finally {
          pinner.release(true, 0, 1); // nothing was copied
        }
      }
      for (int zeros = length - there; zeros > 0; zeros -= ZEROS.length) {
        sum.update(ZEROS, 0, Math.min(zeros, ZEROS.length));
      }
      at += length;
    }
    return (int) sum.getValue();
  }

  /** Brings what is absent from {@code block} on, a long run in one transfer. */
  private void load(long block, long last) throws IOException {
    if (block < loaded) {
      return;
    }
    loaded = Math.min(Math.ceilDiv(last, blockBytes), block + Math.max(1, LOAD_BYTES / blockBytes));
    if (pinner.isAbsent(block, loaded)) {
      pinner.load(block, loaded);
    }
  }
}
