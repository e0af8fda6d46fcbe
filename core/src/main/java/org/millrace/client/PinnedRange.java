package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.millrace.error.MillraceException;
import org.millrace.transfer.RangePins;

/**
 * A range of a file in the memory of its nodes, where the rank reads or writes the bytes without a
 * copy: see {@link FileAccess#pin}. Only nodes of the same user on the same host lend memory, and
 * only if they have room; elsewhere {@link #segments} is empty, and the bytes have to be read or
 * written as usual.
 *
 * <pre>{@code
 * try (PinnedRange range = file.at(position).pin(bytes, true)) {
 *   for (MemorySegment segment : range.segments()) {
 *     channel.read(segment.asByteBuffer()); // fills all of it
 *   }
 *   range.commit();
 *   if (!range.isAccepted()) {
 *     // held for too long: write it as usual
 *   }
 * }
 * }</pre>
 *
 * <p>Used by one thread at a time. The segments are of the thread that asked for them, and can be
 * accessed until the range is committed or closed. Closing gives everything back; what was not
 * committed counts as not written.
 */
public final class PinnedRange implements AutoCloseable {

  /** What bytes without memory read as, part by part. */
  private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[64 << 10]).asReadOnly();

  // constant after construction
  private final long position;
  private final long length;
  private final UnaryOperator<MillraceException> named; // the same error, with the file's bytes

  // owned by the thread that uses it
  private @Nullable RangePins pins;
  private @Nullable Arena lent;
  private boolean committed;

  PinnedRange(
      long position,
      long length,
      Optional<RangePins> pins,
      UnaryOperator<MillraceException> named) {
    this.position = position;
    this.length = length;
    this.named = named;
    this.pins = pins.orElse(null);
  }

  /** The first byte's position. */
  public long position() {
    return position;
  }

  /** How many bytes it has. */
  public long length() {
    return length;
  }

  /**
   * Waits until the blocks are pinned. The bytes, in order, in segments of various lengths; none if
   * they cannot be lent. Call it once.
   */
  public List<MemorySegment> segments() throws IOException {
    RangePins asked = pins;
    if (asked == null) {
      return List.of();
    }
    pins = null;
    List<RangePins.Piece> pieces;
    try {
      pieces = asked.pieces();
    } catch (MillraceException e) {
      throw named.apply(e);
    }
    if (pieces.isEmpty()) {
      return List.of();
    }
    pins = asked;
    Arena arena = Arena.ofConfined();
    lent = arena;
    List<MemorySegment> segments = new ArrayList<>(pieces.size());
    for (RangePins.Piece piece : pieces) {
      MemorySegment memory = piece.memory();
      if (memory != null) {
        segments.add(bounded(memory, arena));
      } else {
        addZeros(segments, piece.bytes());
      }
    }
    return segments;
  }

  /** The same memory, which cannot be accessed when the arena is closed. */
  @SuppressWarnings("restricted") // no more than the memory that is given
  private static MemorySegment bounded(MemorySegment memory, Arena arena) {
    return memory.reinterpret(memory.byteSize(), arena, null);
  }

  private static void addZeros(List<MemorySegment> segments, long bytes) {
    for (long left = bytes; left > 0; left -= ZEROS.byteSize()) {
      segments.add(ZEROS.asSlice(0, Math.min(left, ZEROS.byteSize())));
    }
  }

  /** All bytes of all segments have been written. Does not wait; no segment can be used after. */
  public void commit() {
    RangePins held = pins;
    if (held == null || lent == null || committed) {
      throw new IllegalStateException("nothing is lent");
    }
    close(lent);
    committed = true;
    held.commit();
  }

  /**
   * After {@link #commit}: waits until the nodes have what was written. False if a node has taken
   * its blocks away before, because they were held for too long: write the range again.
   */
  public boolean isAccepted() throws IOException {
    RangePins held = pins;
    if (held == null || !committed) {
      throw new IllegalStateException("not committed");
    }
    pins = null;
    try {
      return held.isAccepted();
    } catch (MillraceException e) {
      throw named.apply(e);
    }
  }

  private void close(Arena arena) {
    arena.close();
    lent = null;
  }

  @Override
  public void close() {
    if (lent != null) {
      close(lent);
    }
    if (pins != null && !committed) {
      pins.release();
    }
    pins = null;
  }
}
