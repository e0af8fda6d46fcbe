package org.millrace.cli.copy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import org.millrace.client.PinnedRange;
import org.millrace.client.SharedFile;

/**
 * Ranges of a file in the memory of its nodes, one after the other, several of them requested ahead
 * ({@link PinnedRange}). While none can be had the caller copies through memory of its own, and
 * asks again for the next piece; after each failure it is sent away for twice as many pieces.
 *
 * <p>Used by one thread. Closing gives back what was requested.
 */
final class PinnedRanges implements AutoCloseable {

  /** Long enough for a file of 64 strands to have a part on each that is worth a request. */
  private static final long MIN_BYTES = 8L << 20;

  /**
   * What a request costs is shared by so much, while those that are under way together fit into the
   * quarter of one small node's cache that may be pinned.
   */
  private static final long MAX_BYTES = 2 * MIN_BYTES;

  private static final int AHEAD = 1;
  private static final int MAX_PAUSE = 64;

  /** A range and its bytes. */
  record Lent(PinnedRange range, List<MemorySegment> segments) {}

  // constant after construction
  private final SharedFile file;
  private final boolean write;
  private final long end;

  // owned by the thread that uses it
  private final ArrayDeque<PinnedRange> requested = new ArrayDeque<>();
  private long next;
  private int pause;
  private int left;

  /** Ranges before {@code end}; for reading, the end of the file. */
  PinnedRanges(SharedFile file, boolean write, long end) {
    this.file = file;
    this.write = write;
    this.end = end;
  }

  /** The range that begins at {@code at}, to be closed by the caller; empty if it is not lent. */
  Optional<Lent> at(long at) throws IOException {
    if (left > 0) {
      left--;
      return Optional.empty();
    }
    PinnedRange first = requested.peek();
    if (first == null || first.position() != at) {
      close();
      next = at;
    }
    request();
    if (requested.isEmpty()) {
      return Optional.empty();
    }
    PinnedRange range = requested.remove();
    List<MemorySegment> segments = range.segments();
    request(); // goes on while the caller uses this one
    if (segments.isEmpty()) {
      pause();
      return Optional.empty();
    }
    return Optional.of(new Lent(range, segments));
  }

  private void request() throws IOException {
    while (requested.size() < AHEAD && end - next >= MIN_BYTES) {
      long bytes = end - next >= MAX_BYTES ? MAX_BYTES : MIN_BYTES;
      requested.add(file.at(next).pin(bytes, write));
      next += bytes;
    }
  }

  /** A range was used: the next failure counts as the first. */
  void used() {
    pause = 0;
  }

  /** What was lent could not be used: the next pieces go another way. */
  void pause() {
    pause = Math.clamp(2L * pause, 1, MAX_PAUSE);
    left = pause;
    close();
  }

  @Override
  public void close() {
    requested.forEach(PinnedRange::close);
    requested.clear();
  }
}
