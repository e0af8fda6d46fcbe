package org.millrace.protocol;

import org.millrace.access.View;
import org.millrace.layout.Layout;
import org.millrace.message.Message;

/**
 * What can be asked of a node beside the one-sided get, put and hint of contiguous bytes, whose key
 * is {@link StrandId#key()}.
 */
public sealed interface NodeRequest extends Message {

  /** A request about a strand that is there. */
  sealed interface OfStrand extends NodeRequest {
    /** Which strand. */
    StrandId strand();
  }

  /** Makes the strand if it is not there; answered by {@link NodeReply.Done}. */
  record Create(StrandId strand) implements NodeRequest {}

  /** Removes the strand if it is there. */
  record Remove(StrandId strand) implements NodeRequest {}

  /** Asks for the strand's end; answered by {@link NodeReply.Count}. */
  record Size(StrandId strand) implements OfStrand {}

  /** Cuts or extends the strand to {@code end}. */
  record Resize(StrandId strand, long end) implements OfStrand {}

  /** Extends the strand to at least {@code end}; cuts nothing. */
  record Extend(StrandId strand, long end) implements OfStrand {}

  /** Takes room on disk up to {@code end} without moving the strand's end. */
  record Preallocate(StrandId strand, long end) implements OfStrand {}

  /** Answered after everything written to the strand is durable. */
  record Flush(StrandId strand) implements OfStrand {}

  /** Fills empty cache slots with the strand's blocks from {@code offset} on. */
  record Preload(StrandId strand, long offset) implements OfStrand {}

  /**
   * Reads positions {@code from} to {@code to} of {@code view}, as far as they lie on this strand,
   * to where they belong in the payload, whose first byte is position {@code from}. Bytes beyond
   * the strand's end are zero.
   */
  record Gather(StrandId strand, Layout layout, View view, long from, long to)
      implements OfStrand {}

  /** Writes what the payload holds for this strand; as {@link Gather} in the other direction. */
  record Scatter(StrandId strand, Layout layout, View view, long from, long to)
      implements OfStrand {}

  /** Changes the cache's size. */
  record SetCacheBytes(long bytes) implements NodeRequest {}

  /** Asks what the node's cache and disk have done; answered by {@link NodeReply.Report}. */
  record AskReport() implements NodeRequest {}
}
