package org.millrace.node;

import java.io.IOException;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.PlacedComb;
import org.millrace.cache.CachedStrand;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.layout.StrandRuns;
import org.millrace.message.Payload;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * Reads and writes what a view shows of one strand. Lists that touch several blocks hold the range
 * they touch, so that a write is applied to the strand as one: no other list, and no other access
 * of several blocks, sees a part of it.
 */
final class StrandLists {

  private StrandLists() {}

  /**
   * Refuses to let a strand grow beyond what a disk can hold, before anything has changed: what
   * lies beyond could be cached but never stored.
   */
  static void checkEnd(int blockBytes, long offset, long length) {
    long most = Long.MAX_VALUE - blockBytes;
    if (offset > most - length) {
      throw new IndexOutOfBoundsException(
          "offset %d and length %d of a strand must end within 0..%d"
              .formatted(offset, length, most));
    }
  }

  /** Refuses a request whose sender takes the strand's blocks to be of another size. */
  static void checkBlocks(CachedStrand strand, StrandId id, int blockBytes)
      throws MillraceException {
    if (strand.blockBytes() != blockBytes) {
      throw new MillraceException(
          ErrorCode.CORRUPT,
          "%s has blocks of %d bytes, its file is said to have %d"
              .formatted(id, strand.blockBytes(), blockBytes));
    }
  }

  /** Returns how many bytes. */
  static long gather(CachedStrand strand, NodeRequest.Gather g, Payload payload)
      throws IOException {
    checkBlocks(strand, g.strand(), g.layout().blockBytes());
    Extent span = span(g.layout(), g.strand().strand(), g.access());
    if (isWithinOneBlock(strand, span)) {
      return gatherNow(strand, g, payload);
    }
    try (var _ = strand.hold(span.offset(), span.end(), false)) {
      return gatherNow(strand, g, payload);
    }
  }

  private static long gatherNow(CachedStrand strand, NodeRequest.Gather g, Payload payload)
      throws IOException {
    PlacedComb runs = placed(g.layout(), g.strand().strand(), g.access(), payload);
    long bytes = 0;
    while (runs.next()) {
      strand.gather(
          runs.offset(),
          runs.length(),
          runs.stride(),
          runs.count(),
          payload.memory(),
          runs.place(),
          runs.placeStride());
      bytes += runs.length() * runs.count();
    }
    return bytes;
  }

  /** Returns how many bytes. */
  static long scatter(CachedStrand strand, NodeRequest.Scatter s, Payload payload)
      throws IOException {
    checkBlocks(strand, s.strand(), s.layout().blockBytes());
    Extent span = span(s.layout(), s.strand().strand(), s.access());
    checkEnd(strand.blockBytes(), span.offset(), span.length());
    if (isWithinOneBlock(strand, span)) {
      return scatterNow(strand, s, payload);
    }
    try (var _ = strand.hold(span.offset(), span.end(), true)) {
      return scatterNow(strand, s, payload);
    }
  }

  private static long scatterNow(CachedStrand strand, NodeRequest.Scatter s, Payload payload)
      throws IOException {
    PlacedComb runs = placed(s.layout(), s.strand().strand(), s.access(), payload);
    long bytes = 0;
    while (runs.next()) {
      strand.scatter(
          runs.offset(),
          runs.length(),
          runs.stride(),
          runs.count(),
          payload.memory(),
          runs.place(),
          runs.placeStride());
      bytes += runs.length() * runs.count();
    }
    return bytes;
  }

  /** What of an access lies on a strand, and where it belongs in the payload's memory. */
  private static PlacedComb placed(Layout layout, int strand, Access access, Payload payload) {
    StrandRuns runs = StrandRuns.of(layout, strand, access.view(), access.from(), access.to());
    return PlacedComb.of(runs, access.from(), payload.places());
  }

  /**
   * The part of the strand between the first and the last byte of the list; it may begin and end
   * with bytes of none.
   */
  static Extent span(Layout layout, int strand, Access access) {
    Extent inFile = access.span();
    return Extent.between(
        layout.strandSize(strand, inFile.offset()), layout.strandSize(strand, inFile.end()));
  }

  private static boolean isWithinOneBlock(CachedStrand strand, Extent span) {
    return span.isEmpty()
        || span.offset() / strand.blockBytes() == (span.end() - 1) / strand.blockBytes();
  }
}
