package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Work;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.message.Pending;
import org.millrace.protocol.KeptCells;
import org.millrace.protocol.NodeReply.Kept;
import org.millrace.protocol.NodeReply.Pinned;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.PinnedBlocks.BlockPlace;
import org.millrace.protocol.PinnedBlocks.WantedBlocks;
import org.millrace.protocol.StrandId;

/**
 * Blocks of a strand that its node keeps for writes of this side, which need no message then:
 * {@link KeptCells} says how the node sees them. The node can end that at any time; a write that it
 * has not seen has to be made another way.
 *
 * <p>Used by one thread at a time.
 */
final class KeptWindow {

  /** How much is kept at a time, if the blocks are not larger. */
  private static final long SPAN_BYTES = 512 << 10;

  /** How much is kept at a time for writes that have followed each other for long, likewise. */
  private static final long MAX_SPAN_BYTES = 2 << 20;

  /**
   * What is asked for.
   *
   * @param by a link to the strand's node
   * @param slabs the memory that is reached over this link when it is asked
   * @param blocks ascending
   */
  record Wanted(
      Link by, MappedSlabs slabs, StrandId strand, int blockBytes, List<WantedBlocks> blocks) {

    /** Neighbouring blocks. */
    Wanted(Link by, MappedSlabs slabs, StrandId strand, int blockBytes, long first, int count) {
      this(by, slabs, strand, blockBytes, List.of(new WantedBlocks(first, count, false)));
    }

    /** Asks the node; it gets back what it kept before, if that is not {@link Pinned#NONE}. */
    Pending ask(long returned) {
      return ask(blocks, returned);
    }

    private Pending ask(List<WantedBlocks> some, long returned) {
      var request = new NodeRequest.Keep(strand, blockBytes, slabs.process(), some, returned);
      return by.start(request, MemorySegment.NULL);
    }

    /** Gives back without waiting what the node has kept; it would find out by itself. */
    void giveBack(long pin) {
      ask(List.of(), pin);
    }

    /** Whether so many blocks, so far from each other, can be kept at all. */
    boolean isPossible() {
      return count() <= KeptCells.MAX_BLOCKS && KeptCells.fits(to() - from());
    }

    int count() {
      int count = 0;
      for (WantedBlocks run : blocks) {
        count += run.count();
      }
      return count;
    }

    long from() {
      return blocks.getFirst().first() * blockBytes;
    }

    long to() {
      return (blocks.getLast().first() + blocks.getLast().count()) * blockBytes;
    }
  }

  // constant after construction
  private final Wanted wanted;
  private final int count;
  private final long from;
  private final long to;
  private final long pin;
  private final MemorySegment cells;
  private final int cell;
  private final MemorySegment[] memories;
  private final long[] places;
  private final PinnedExtents extents = new PinnedExtents();

  private KeptWindow(Wanted wanted, Kept kept, MemorySegment cells) {
    this.wanted = wanted;
    this.count = wanted.count();
    this.from = wanted.from();
    this.to = wanted.to();
    this.pin = kept.pin();
    this.cell = kept.cell();
    this.cells = cells;
    this.memories = new MemorySegment[count];
    this.places = new long[count];
  }

  /** How many blocks are kept at a time. */
  static int blocks(int blockBytes) {
    return Math.clamp(SPAN_BYTES / blockBytes, 1, KeptCells.GROUPS);
  }

  /** How many may be kept at a time for writes that have followed each other for long. */
  static int maxBlocks(int blockBytes) {
    return Math.clamp(MAX_SPAN_BYTES / blockBytes, 1, KeptCells.MAX_BLOCKS);
  }

  /**
   * Maps what a node keeps. Null, and nothing is kept, if this process cannot map it, or if the
   * node that has answered is not the one whose memory was to be mapped.
   */
  static @Nullable KeptWindow map(Wanted wanted, Kept kept, long deadlineNanos) throws IOException {
    MemorySegment words = NodeSlabs.mapCells(wanted.by, wanted.slabs, deadlineNanos);
    if (words != null) {
      KeptWindow window = new KeptWindow(wanted, kept, words);
      if (window.place(kept.places(), deadlineNanos) && wanted.by.reached() == wanted.slabs) {
        return window;
      }
    }
    wanted.giveBack(kept.pin());
    return null;
  }

  /** Finds out where the blocks lie; false if they cannot be mapped. */
  private boolean place(List<BlockPlace> there, long deadlineNanos) throws IOException {
    if ((cell + 1L) * KeptCells.CELL_BYTES > cells.byteSize() || cell < 0) {
      throw wrong(there);
    }
    int block = 0;
    int next = 0;
    for (WantedBlocks run : wanted.blocks) {
      for (int left = run.count(); left > 0; ) {
        BlockPlace place = next < there.size() ? there.get(next++) : null;
        if (place == null || place.count() < 1 || place.count() > left) {
          throw wrong(there);
        }
        if (!place(run.first() + run.count() - left, block, place, there, deadlineNanos)) {
          return false;
        }
        block += place.count();
        left -= place.count();
      }
    }
    if (next < there.size()) {
      throw wrong(there);
    }
    return true;
  }

  private boolean place(
      long number, int block, BlockPlace place, List<BlockPlace> there, long deadlineNanos)
      throws IOException {
    long blockBytes = wanted.blockBytes;
    MemorySegment memory = NodeSlabs.map(wanted.by, wanted.slabs, place, deadlineNanos);
    if (memory == null) {
      return false;
    }
    long bytes = place.count() * blockBytes;
    if (place.offset() < 0 || place.offset() > memory.byteSize() - bytes) {
      throw wrong(there);
    }
    MappedSlabs.touch(memory, place.offset(), bytes);
    for (int i = 0; i < place.count(); i++) {
      memories[block + i] = memory;
      places[block + i] = place.offset() + i * blockBytes;
    }
    extents.add(number * blockBytes, number * blockBytes + bytes, memory, place.offset());
    return true;
  }

  private MillraceException wrong(List<BlockPlace> there) {
    return new MillraceException(
        ErrorCode.PROTOCOL, "kept blocks of " + wanted.strand + " are said to lie at " + there);
  }

  Link link() {
    return wanted.by;
  }

  /** Its number at the node. */
  long pin() {
    return pin;
  }

  /** Where the first block begins in the strand. */
  long from() {
    return from;
  }

  /** Where the last block ends in the strand. */
  long to() {
    return to;
  }

  /** Whether the bytes of the strand between two offsets are kept. */
  boolean covers(long start, long end) {
    return start >= from && end <= to;
  }

  /**
   * Writes bytes that it covers, if its blocks are neighbours. False if they do not count: then it
   * is of no use any more.
   */
  boolean write(Env env, long offset, MemorySegment source, long at, long length) {
    int first = (int) ((offset - from) / wanted.blockBytes);
    int limit = (int) ((offset + length - 1 - from) / wanted.blockBytes) + 1;
    long groups = KeptCells.groups(first, limit, count);
    return write(groups, offset + length, () -> copy(env, offset, source, at, length));
  }

  /** Writes pieces that touch all of its blocks, and no others; likewise. */
  boolean write(Env env, PinWindow pieces, MemorySegment source) {
    long groups = KeptCells.groups(0, count, count);
    return write(groups, pieces.end(), () -> pieces.copy(env, true, extents, source));
  }

  private boolean write(long groups, long end, Runnable copying) {
    Link by = wanted.by;
    if (!by.beginWriteInto(wanted.slabs)) { // a node that has ended must not be written to
      return false;
    }
    boolean counts = false;
    try {
      counts = KeptCells.begin(cells, cell, pin) && fill(groups, end, copying);
    } finally {
      by.endWriteInto(counts);
    }
    return counts;
  }

  private boolean fill(long groups, long end, Runnable copying) {
    boolean copied = false;
    boolean counts;
    try {
      copying.run();
      copied = true;
    } finally {
      counts = KeptCells.end(cells, cell, pin, groups, copied ? end - from : 0);
    }
    return counts;
  }

  private void copy(Env env, long offset, MemorySegment source, long at, long length) {
    long blockBytes = wanted.blockBytes;
    env.charge(Work.COPY, length);
    env.charge(Work.PIECE, 1);
    for (long done = 0; done < length; ) {
      int block = (int) ((offset + done - from) / blockBytes);
      long in = (offset + done - from) % blockBytes;
      long part = Math.min(length - done, blockBytes - in);
      MemorySegment.copy(source, at + done, memories[block], places[block] + in, part);
      done += part;
    }
  }

  /** Gives the blocks back without waiting; the node reclaims them eventually anyway. */
  void giveBack() {
    wanted.giveBack(pin);
  }
}
