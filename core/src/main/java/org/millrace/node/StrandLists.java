package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.copy.PlacedVector;
import org.millrace.cache.CachedStrand;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.layout.StrandRuns;
import org.millrace.message.Payload;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * Reads and writes the bytes of a view on one strand. A list that touches several blocks locks its
 * range, so that a write is atomic: no other list, and no other access of several blocks, sees a
 * part of it.
 */
final class StrandLists {

  private StrandLists() {}

  /**
   * Refuses to let a strand grow beyond what a disk can hold, before anything has changed: what
   * lies beyond could be cached but never stored.
   */
  static void checkEnd(int blockBytes, long offset, long length) {
    long max = Long.MAX_VALUE - blockBytes;
    if (offset > max - length) {
      throw new IndexOutOfBoundsException(
          "offset %s and length %s of a strand must end within 0..%s"
              .formatted(offset, length, max));
    }
  }

  /** Refuses a request whose sender takes the strand's blocks to be of another size. */
  static void checkBlocks(CachedStrand strand, StrandId id, int blockBytes)
      throws MillraceException {
    if (strand.blockBytes() != blockBytes) {
      throw new MillraceException(
          ErrorCode.CORRUPT,
          "%s has blocks of %s bytes, the request assumes %s"
              .formatted(id, strand.blockBytes(), blockBytes));
    }
  }

  /** Returns how many bytes. */
  static long gather(CachedStrand strand, NodeRequest.Gather g, Payload payload)
      throws IOException {
    return move(strand, g.strand(), g.layout(), g.access(), payload, false);
  }

  /** Returns how many bytes. What will be flushed soon is on its way to the disk then. */
  static long scatter(CachedStrand strand, NodeRequest.Scatter s, Payload payload)
      throws IOException {
    long bytes = move(strand, s.strand(), s.layout(), s.access(), payload, true);
    if (s.toFlush() && bytes > 0) {
      Extent span = span(s.layout(), s.strand().strand(), s.access());
      strand.beginWriteBack(span.offset(), span.end());
    }
    return bytes;
  }

  private static long move(
      CachedStrand strand,
      StrandId id,
      Layout layout,
      Access access,
      Payload payload,
      boolean write)
      throws IOException {
    checkBlocks(strand, id, layout.blockBytes());
    Extent span = span(layout, id.strand(), access);
    if (write) {
      checkEnd(strand.blockBytes(), span.offset(), span.length());
    }
    PlacedVector runs = placed(layout, id.strand(), access, payload);
    if (isWithinOneBlock(strand, span)) {
      return move(strand, runs, payload, write);
    }
    try (var _ = strand.hold(span.offset(), span.end(), write)) {
      return move(strand, runs, payload, write);
    }
  }

  private static long move(CachedStrand strand, PlacedVector runs, Payload payload, boolean write)
      throws IOException {
    MemorySegment memory = payload.memory();
    long bytes = 0;
    while (runs.next()) {
      long offset = runs.offset();
      long length = runs.length();
      long stride = runs.stride();
      long count = runs.count();
      if (write) {
        strand.scatter(offset, length, stride, count, memory, runs.place(), runs.placeStride());
      } else {
        strand.gather(offset, length, stride, count, memory, runs.place(), runs.placeStride());
      }
      bytes += length * count;
    }
    return bytes;
  }

  /** What of an access lies on a strand, and where it belongs in the payload's memory. */
  private static PlacedVector placed(Layout layout, int strand, Access access, Payload payload) {
    StrandRuns runs = StrandRuns.of(layout, strand, access.view(), access.from(), access.to());
    return PlacedVector.of(runs, access.from(), payload.places());
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
