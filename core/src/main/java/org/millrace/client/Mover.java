package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Runs;
import org.millrace.access.View;
import org.millrace.client.OpenFile.HintsInUse;
import org.millrace.env.Span;
import org.millrace.error.MillraceException;
import org.millrace.message.Payload;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.transfer.OwnTransfer;
import org.millrace.transfer.Strands;

/**
 * Moves bytes between a rank's memory and positions of its view of a file. In atomic mode each move
 * holds a lock on the range of the file that it touches, against all moves in atomic mode, of
 * whatever group.
 *
 * <p>Safe for use by several threads; holds no state.
 */
final class Mover {

  /** Independent transfers of fewer bytes are not recorded. */
  private static final long WATCHED_BYTES = 64 << 10;

  // constant after construction
  private final Rank rank;
  private final String path;
  private final long file;
  private final Strands strands;
  private final Reading reading;
  private final OwnTransfer own;

  /** How bytes of the file are read; as {@link Strands#read}. */
  interface Reading {
    long read(long offset, MemorySegment into, long at, long length) throws IOException;
  }

  Mover(Rank rank, String path, long file, Strands strands, Reading reading) {
    this.rank = rank;
    this.path = path;
    this.file = file;
    this.strands = strands;
    this.reading = reading;
    this.own = new OwnTransfer(strands);
  }

  /**
   * One direction of one transfer, with the view, mode and hints of the file when it was asked.
   *
   * @param end where reads end; null if they end where the file does
   * @param strand the strand that the view shows and whose own end bounds reads, or {@link
   *     #NO_STRAND}
   */
  record Job(
      boolean write,
      View view,
      @Nullable ViewEnd end,
      boolean atomic,
      HintsInUse hints,
      int strand) {

    static final int NO_STRAND = -1;

    Job(boolean write, View view, @Nullable ViewEnd end, boolean atomic, HintsInUse hints) {
      this(write, view, end, atomic, hints, NO_STRAND);
    }

    /** Whether the owners of blocks pick out the runs of a list, or each run is a request. */
    boolean isSieved() {
      Hints all = hints.hints();
      return (write ? all.write() : all.read()) != Strategy.DIRECT;
    }
  }

  /** Moves the first {@code count} bytes of memory; returns how many moved. */
  long move(Job job, long position, Memory memory, long count) throws IOException {
    if (count == 0) {
      return 0;
    }
    return count < WATCHED_BYTES // shorter ones have no time for a question
        ? moveWhole(job, position, memory, count)
        : watched(job.write, () -> moveWhole(job, position, memory, count));
  }

  /** A transfer that a recording shows. */
  private interface Transfer {
    long run() throws IOException;
  }

  private long watched(boolean write, Transfer transfer) throws IOException {
    Span span = rank.session().env().span(Span.Kind.TRANSFER);
    if (!span.isWatched()) {
      return transfer.run();
    }
    long moved = 0;
    try {
      moved = transfer.run();
      return moved;
    } finally {
      String what = write ? "write" : "read";
      span.end(new Span.Facts(rank.group(), rank.number(), what, path, "independent", "", moved));
    }
  }

  private long moveWhole(Job job, long position, Memory memory, long count) throws IOException {
    try {
      if (!job.atomic) {
        return moveNow(job, position, memory, count);
      }
      try (var _ = lock(job, position, count)) {
        return moveNow(job, position, memory, count);
      }
    } catch (MillraceException e) {
      throw withContext(e, job.write, position, count);
    }
  }

  private long moveNow(Job job, long position, Memory memory, long count) throws IOException {
    long done = 0;
    for (Memory.Part part : memory.parts()) {
      long length = Math.min(part.size(), count - done);
      long moved = movePart(job, position + done, part, length);
      done += moved;
      if (moved < length) {
        break;
      }
    }
    return done;
  }

  private long movePart(Job job, long position, Memory.Part part, long length) throws IOException {
    if (length == 0 || (!job.write && job.view.isEmpty())) {
      return 0; // what sees nothing is at its end from the start
    }
    if (job.view.isContiguous() && part.pattern().isContiguous()) {
      MemorySegment segment = part.segment().asSlice(part.pattern().first(), length);
      return moveRun(job.write, job.view, position, segment, length);
    }
    if (!job.write && job.strand != Job.NO_STRAND && part.pattern().isContiguous()) {
      long at = part.pattern().first();
      return strands.readStrand(job.strand, position, part.segment(), at, length);
    }
    long count = job.write ? length : Math.clamp(end(job, position, length) - position, 0, length);
    Access access = new Access(job.view, position, position + count);
    Payload payload = new Payload(part.segment(), part.places(0), count);
    if (job.isSieved()) {
      strands.move(job.write, access, payload);
    } else {
      own.direct(job.write, access, payload);
    }
    return count;
  }

  private long end(Job job, long position, long length) throws IOException {
    if (job.strand != Job.NO_STRAND) {
      return strands.strandEnd(job.strand);
    }
    try {
      return endPosition(job.view, job.end);
    } catch (MillraceException e) {
      if (job.end != null || !job.view.isAscending()) {
        throw e;
      }
      // strands that are away do not matter if the others make the file long enough
      long enough = new Access(job.view, position, position + length).span().end();
      return endPosition(job.view, strands.sizeUpTo(enough));
    }
  }

  /**
   * Moves without a lock through a contiguous view: the shortest way, which allocates nothing for
   * small accesses.
   */
  long moveContiguous(boolean write, View view, long position, MemorySegment segment, long length)
      throws IOException {
    return length < WATCHED_BYTES
        ? moveRun(write, view, position, segment, length)
        : watched(write, () -> moveRun(write, view, position, segment, length));
  }

  private long moveRun(boolean write, View view, long position, MemorySegment segment, long length)
      throws IOException {
    if (!write && view.isEmpty()) {
      return 0;
    }
    long offset = view.offsetOf(position);
    if (!write) {
      return reading.read(offset, segment, 0, length);
    }
    strands.write(offset, segment, 0, length);
    return length;
  }

  /** Waits for the lock of what a move touches. */
  HeldLock lock(Job job, long position, long count) throws IOException {
    // Brief: other threads of this rank may hold such a lock, too, and each gives it back without
    // waiting for anybody, so that no cycle goes through it.
    return lock(job.view, position, position + count, !job.write, true);
  }

  /** Locks the range that positions of a view touch, on the strands that they touch. */
  HeldLock lock(View view, long from, long to, boolean shared, boolean brief) throws IOException {
    LockScope scope = LockScope.of(file, strands.layout(), view, from, to);
    rank.session().transactions().checkApart(scope);
    return HeldLock.ofFile(
        rank, scope.name(), scope.range().offset(), scope.range().end(), shared, brief);
  }

  /** The position at which a view ends: where the file does, unless it has an end of its own. */
  long endPosition(View view, @Nullable ViewEnd end) throws IOException {
    return end == null ? endPosition(view, strands.size()) : end.position(strands.strandEnds());
  }

  /** The position at which a file of this size ends. */
  static long endPosition(View view, long size) {
    if (view.tile().size() == 0) {
      return 0;
    }
    return view.isAscending() ? view.positionOf(size) : endOfScattered(view, size);
  }

  /** Where a view that jumps back and forth first leaves the file. */
  private static long endOfScattered(View view, long size) {
    long reach = view.displacement() + view.tile().end();
    if (size >= reach && view.tileExtent() == 0) {
      return Long.MAX_VALUE; // the same bytes for ever
    }
    long wholeTiles = size < reach ? 0 : (size - reach) / view.tileExtent() + 1;
    long tile = view.tile().size();
    if (wholeTiles > Long.MAX_VALUE / tile - 1) {
      return Long.MAX_VALUE; // beyond all positions that can be asked for
    }
    long from = wholeTiles * tile;
    Runs runs = view.runs(from, from + view.tile().size());
    while (runs.next()) {
      for (long i = 0; i < runs.count(); i++) {
        long offset = runs.offset() + i * runs.stride();
        if (offset + runs.length() > size) {
          return runs.position() + i * runs.length() + Math.max(0, size - offset);
        }
      }
    }
    return from + view.tile().size();
  }

  /** The same error, saying who wanted what and where. */
  MillraceException withContext(MillraceException e, boolean write, long position, long count) {
    MillraceException reported =
        MillraceException.of(
            e.code(),
            "%s: %s of %s bytes at position %s of %s failed: %s"
                .formatted(
                    rank,
                    write ? "write" : "read",
                    count,
                    position,
                    path,
                    DamagedBytes.named(strands.layout(), e)));
    reported.initCause(e);
    return reported.withDetail(e.detail());
  }
}
