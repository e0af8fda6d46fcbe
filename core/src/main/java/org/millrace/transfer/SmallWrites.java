package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.protocol.StrandId;

/**
 * Writes within one stripe unit: consecutive ones go into blocks that the node keeps for them,
 * others are puts.
 *
 * <p>Safe for use by several threads. Closing gives back what is kept; it can still be used.
 */
final class SmallWrites implements AutoCloseable {

  /** A longer range is better sent than written into blocks that the node keeps. */
  static final long KEPT_MOST = 64 << 10;

  // constant after construction
  private final TransferContext carrier;
  private final Layout layout;
  private final long file;
  private final StrandLinks links;

  /** By strand; null until there is something to keep, as there never is in one JVM. */
  private final AtomicReference<@Nullable AtomicReferenceArray<@Nullable KeptBlocks>> kept =
      new AtomicReference<>();

  SmallWrites(TransferContext carrier, Layout layout, long file, StrandLinks links) {
    this.carrier = carrier;
    this.layout = layout;
    this.file = file;
    this.links = links;
  }

  /** Writes bytes of the file at an offset of it; none if the length is 0. */
  void write(long offset, MemorySegment from, long at, long length) throws IOException {
    if (length == 0) {
      return;
    }
    int s = layout.strandOf(offset);
    Link link = links.get(s);
    long inStrand = layout.strandOffset(offset);
    MappedSlabs slabs = link.reached();
    if (length > KEPT_MOST
        || slabs == null
        || !kept(s, slabs).tryWrite(link, inStrand, from, at, length)) {
      long key = StrandId.key(file, s);
      link.put(key, inStrand, from, at, length, carrier.operationNanos());
    }
  }

  private KeptBlocks kept(int s, MappedSlabs slabs) {
    AtomicReferenceArray<@Nullable KeptBlocks> all = all();
    KeptBlocks known = all.get(s);
    if (known != null) {
      return known;
    }
    StrandId strand = new StrandId(file, s);
    KeptBlocks fresh =
        new KeptBlocks(
            carrier.env(),
            carrier.operationNanos(),
            strand,
            layout.blockBytes(),
            slabs.minWrites());
    return all.compareAndSet(s, null, fresh) ? fresh : kept(s, slabs);
  }

  private AtomicReferenceArray<@Nullable KeptBlocks> all() {
    AtomicReferenceArray<@Nullable KeptBlocks> known = kept.get();
    if (known != null) {
      return known;
    }
    AtomicReferenceArray<@Nullable KeptBlocks> made = new AtomicReferenceArray<>(links.count());
    AtomicReferenceArray<@Nullable KeptBlocks> other = kept.compareAndExchange(null, made);
    return other == null ? made : other;
  }

  @Override
  public void close() {
    AtomicReferenceArray<@Nullable KeptBlocks> all = kept.get();
    for (int s = 0; all != null && s < all.length(); s++) {
      KeptBlocks known = all.get(s);
      if (known != null) {
        known.close();
      }
    }
  }
}
