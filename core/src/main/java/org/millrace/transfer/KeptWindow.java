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
import org.millrace.protocol.StrandId;

/**
 * Neighbouring blocks of a strand that its node keeps for writes of this side, which need no
 * message then: {@link KeptCells} says how the node sees them. The node can end that at any time; a
 * write that it has not seen has to be made another way.
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
   */
  record Wanted(
      Link by, MappedSlabs slabs, StrandId strand, int blockBytes, long first, int count) {

    /** Asks the node; it gets back what it kept before, if that is not {@link Pinned#NONE}. */
    Pending ask(long returned) {
      var request =
          new NodeRequest.Keep(strand, blockBytes, slabs.process(), first, count, returned);
      return by.start(request, MemorySegment.NULL);
    }

    /** Gives back without waiting what the node has kept; it would find out by itself. */
    void giveBack(long pin) {
      new Wanted(by, slabs, strand, blockBytes, 0, 0).ask(pin);
    }

    long from() {
      return first * blockBytes;
    }

    long to() {
      return (first + count) * blockBytes;
    }
  }

  // constant after construction
  private final Wanted wanted;
  private final long pin;
  private final MemorySegment cells;
  private final int cell;
  private final MemorySegment[] memories;
  private final long[] places;

  private KeptWindow(Wanted wanted, Kept kept, MemorySegment cells) {
    this.wanted = wanted;
    this.pin = kept.pin();
    this.cell = kept.cell();
    this.cells = cells;
    this.memories = new MemorySegment[wanted.count];
    this.places = new long[wanted.count];
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
    long blockBytes = wanted.blockBytes;
    int block = 0;
    for (BlockPlace place : there) {
      MemorySegment memory = NodeSlabs.map(wanted.by, wanted.slabs, place, deadlineNanos);
      if (memory == null) {
        return false;
      }
      long bytes = place.count() * blockBytes;
      if (place.count() < 1
          || place.count() > memories.length - block
          || place.offset() < 0
          || place.offset() > memory.byteSize() - bytes) {
        throw wrong(there);
      }
      MappedSlabs.touch(memory, place.offset(), bytes);
      for (int i = 0; i < place.count(); i++, block++) {
        memories[block] = memory;
        places[block] = place.offset() + i * blockBytes;
      }
    }
    if (block != memories.length
        || (cell + 1L) * KeptCells.CELL_BYTES > cells.byteSize()
        || cell < 0) {
      throw wrong(there);
    }
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
    return wanted.from();
  }

  /** Where the last block ends in the strand. */
  long to() {
    return wanted.to();
  }

  /** Whether the bytes of the strand between two offsets are kept. */
  boolean covers(long start, long end) {
    return start >= from() && end <= to();
  }

  /** Writes bytes that it covers. False if they do not count: then it is of no use any more. */
  boolean write(Env env, long offset, MemorySegment source, long at, long length) {
    Link by = wanted.by;
    if (!by.beginWriteInto(wanted.slabs)) { // a node that has ended must not be written to
      return false;
    }
    boolean counts = false;
    try {
      counts = KeptCells.begin(cells, cell, pin) && fill(env, offset, source, at, length);
    } finally {
      by.endWriteInto(counts);
    }
    return counts;
  }

  private boolean fill(Env env, long offset, MemorySegment source, long at, long length) {
    boolean copied = false;
    boolean counts;
    try {
      copy(env, offset, source, at, length);
      copied = true;
    } finally {
      long end = copied ? offset + length - from() : 0;
      counts = KeptCells.end(cells, cell, pin, groups(offset, length), end);
    }
    return counts;
  }

  private long groups(long offset, long length) {
    int first = (int) ((offset - from()) / wanted.blockBytes);
    int limit = (int) ((offset + length - 1 - from()) / wanted.blockBytes) + 1;
    return KeptCells.groups(first, limit, wanted.count);
  }

  private void copy(Env env, long offset, MemorySegment source, long at, long length) {
    long blockBytes = wanted.blockBytes;
    env.charge(Work.COPY, length);
    env.charge(Work.PIECE, 1);
    for (long done = 0; done < length; ) {
      int block = (int) ((offset + done - from()) / blockBytes);
      long in = (offset + done - from()) % blockBytes;
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
