package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.error.MillraceException;

/**
 * A strand as the cache sees it: blocks of {@link #blockBytes} bytes, numbered from 0, each checked
 * against the checksum it was written with, and an end. Blocks never written, and bytes beyond the
 * end, are zero.
 *
 * <p>Calls for disjoint blocks may run at the same time. Two calls that touch the same block, and
 * {@link #flush} or {@link #resize} beside a write of the blocks concerned, are kept apart by the
 * caller.
 */
public interface BlockStore extends AutoCloseable {

  /** What this strand is called in messages. */
  String name();

  /**
   * Bytes of a block, the unit of caching and of checksums: a power of two that never changes, as
   * {@link BlockSize} allows.
   */
  int blockBytes();

  /**
   * The end of the strand as last made durable or given to {@link #resize}: one past its highest
   * byte.
   */
  long end();

  /**
   * Reads {@code into.size()} blocks from {@code firstBlock} on, each into a segment of {@link
   * #blockBytes} bytes, in one transfer.
   *
   * @throws org.millrace.error.CorruptBlockException naming the first block that is not what was
   *     written
   */
  void read(long firstBlock, List<MemorySegment> into) throws IOException;

  /**
   * Writes whole blocks from {@code firstBlock} on; the length of {@code from} is a multiple of
   * {@link #blockBytes} and bytes beyond the strand's end are zero. Nothing is durable before
   * {@link #flush}.
   *
   * @param changes of each block, which of its bytes may differ from what the store has; all others
   *     are as they were read. Where a write is interrupted, these can still be verified
   */
  void write(long firstBlock, MemorySegment from, List<BlockChanges> changes) throws IOException;

  /** As {@link #write(long, MemorySegment, List)}, where every byte may differ. */
  default void write(long firstBlock, MemorySegment from) throws IOException {
    int count = (int) (from.byteSize() / blockBytes());
    write(firstBlock, from, Collections.nCopies(count, BlockChanges.all()));
  }

  /**
   * Returns after everything written, and {@code end} as the strand's end, are durable. A flush
   * never lowers the end: an {@code end} below one that is durable already, from a flush that was
   * overtaken, moves nothing.
   */
  void flush(long end) throws IOException;

  /** Told how a flush ended: with null, or an error. */
  interface Together {
    /** Called once, on any thread. */
    void ended(@Nullable MillraceException error);
  }

  /**
   * As {@link #flush}, together with other strands that are flushed at the same time, without
   * keeping a thread: returns at once, and {@code done} is told how it ended, which may be before
   * this returns. False if this strand cannot be flushed that way, and nothing was done.
   */
  default boolean flushTogether(long end, Together done) throws IOException {
    return false;
  }

  /**
   * When the strand was last modified, as last given to {@link #modified(long)} and made durable:
   * nanoseconds since 1970; 0 if that is not known, and {@link #laterThan} the last time that was
   * made durable if the strand was found in the middle of writes.
   */
  default long modified() {
    return 0;
  }

  /**
   * Says when the strand was last modified. Durable with the next {@link #flush}, not by itself.
   */
  default void modified(long nanos) {}

  /**
   * The time of a strand of which is known only that it was modified after {@code nanos}, itself a
   * time as {@link #modified} gives it: less than zero.
   */
  static long laterThan(long nanos) {
    return nanos < 0 ? nanos : -Math.max(1, nanos);
  }

  /**
   * Sets the end. Blocks wholly beyond it are forgotten; the caller has already written the block
   * that the end cuts, if any, with zeros beyond the end.
   */
  void resize(long end) throws IOException;

  /**
   * The first block of {@code [firstBlock, beforeBlock)} that was ever written, or {@code
   * beforeBlock} if none was: what lies before it is a hole.
   */
  long nextWritten(long firstBlock, long beforeBlock) throws IOException;

  /** Takes room on disk for the bytes up to {@code end}, without moving the end. */
  void preallocate(long end) throws IOException;

  /** Closes without flushing. Idempotent. */
  @Override
  void close() throws IOException;
}
