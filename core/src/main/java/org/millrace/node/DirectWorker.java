package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.cache.BlockPinner;
import org.millrace.env.Env;
import org.millrace.env.Work;
import org.millrace.message.ReplyTo;

/**
 * Copies the pieces of all parts between blocks and the parts' memory, parts in ascending order,
 * and transfers blocks between cache and disk. A block is looked up once, however many parts want
 * it.
 *
 * <p>Owned by one thread. Holds no pin when a method returns or throws.
 */
final class DirectWorker {

  // Constant after construction.
  private final Env env;
  private final DirectPart[] parts;
  private final MemorySegment[] memory;
  private final PartSpans spans;
  private final boolean write;
  private final int strand;
  private final long to;
  private final long blockBytes;
  private final StrandPinner strandPinner;
  private final ScratchBuffers.Borrowed scratchBuffers;
  private final DirectBuffers buffers;
  private final BlockPieces pieces = new BlockPieces();
  private final Coverage coverage = new Coverage();

  /** Blocks of a step, counted from its first one, that are read before their pieces move. */
  private final BitSet reads = new BitSet();

  /** Pieces of the step that are under way. */
  private final List<ReplyTo.Moving> underWay = new ArrayList<>();

  /** Of parts that may want something of the block where the cursors stand; else null. */
  private final @Nullable PartCursor[] cursors;

  /** The block where the cursors stand: they have passed what is wanted before it. */
  private long at;

  /** Whether the cursors may stand within a block. */
  private boolean astray;

  /** A worker for the strand's bytes before {@code to}. */
  DirectWorker(
      Env env,
      DirectPart[] parts,
      MemorySegment[] memory,
      PartSpans spans,
      long to,
      StrandPinner strandPinner,
      ScratchBuffers.Borrowed scratchBuffers,
      DirectBuffers buffers) {
    this.env = env;
    this.parts = parts;
    this.memory = memory;
    this.spans = spans;
    this.to = to;
    this.strandPinner = strandPinner;
    this.scratchBuffers = scratchBuffers;
    this.buffers = buffers;
    this.cursors = new PartCursor[parts.length];
    this.write = parts[0].request().write();
    this.strand = parts[0].request().strand().strand();
    this.blockBytes = parts[0].request().layout().blockBytes();
  }

  /**
   * Finds out which of the blocks {@code [first, end)} have to be read from the disk first: those
   * that it holds and the cache does not, and of which a write leaves bytes as they are. False if
   * there are none.
   */
  boolean plan(long first, long end) throws IOException {
    reads.clear();
    if (strandPinner.with(pinner -> pinner.isAbsent(first, end))) {
      for (long block = first; block < end; block++) {
        if (!write || (isAbsent(block) && !isCovered(block))) {
          reads.set((int) (block - first));
        }
      }
    }
    return !reads.isEmpty();
  }

  private boolean isAbsent(long block) throws IOException {
    return strandPinner.with(pinner -> pinner.isAbsent(block, block + 1));
  }

  /** Whether the parts write every byte of a block, as far as one look tells. */
  private boolean isCovered(long block) {
    seek(block);
    astray = true;
    long base = block * blockBytes;
    pieces.clear();
    for (PartCursor cursor : cursors) {
      if (cursor != null) {
        cursor.take(base, Math.min(to, base + blockBytes), pieces);
      }
      if (pieces.isFull()) {
        return false;
      }
    }
    return pieces.low() == 0 && pieces.high() == blockBytes && !pieces.hasGaps(coverage);
  }

  /** Reads what was planned of the blocks from {@code first} on, and leaves the disk. */
  void load(long first) throws IOException {
    try {
      for (int from = reads.nextSetBit(0); from >= 0; ) {
        long start = first + from;
        long end = first + reads.nextClearBit(from);
        strandPinner.with(
            pinner -> {
              pinner.load(start, end);
              return true;
            });
        from = reads.nextSetBit((int) (end - first));
      }
    } finally {
      buffers.leaveDisk();
    }
  }

  /** Writes the blocks of a step when all earlier steps are with the disk. */
  void write(int step, long first, long end) throws IOException {
    if (!buffers.enterDisk(step)) {
      return;
    }
    try {
      strandPinner.with(
          pinner -> {
            pinner.writeBack(first, end);
            return true;
          });
    } finally {
      buffers.leaveDisk();
    }
  }

  /** Moves the pieces of the blocks {@code [first, end)}, of each of which some are wanted. */
  void move(long first, long end) throws IOException {
    long begin = first + strand % (end - first); // nodes begin elsewhere: not all with one rank
    for (long i = first; i < end; i++) {
      long block = i - first + begin < end ? i - first + begin : i - end + begin;
      seek(block);
      moveBlock(block);
    }
  }

  /** Waits for the pieces that {@link #move} asked for: all were asked before any is awaited. */
  void awaitMoved() {
    underWay.forEach(ReplyTo.Moving::await);
    underWay.clear();
  }

  /** Brings the cursors of all parts that may want something of a block to it. */
  private void seek(long block) {
    long base = block * blockBytes;
    boolean again = astray || block < at;
    for (int i = 0; i < cursors.length; i++) {
      PartCursor cursor = cursors[i];
      if (!spans.meets(i, base, base + blockBytes)) {
        cursors[i] = null;
      } else if (cursor == null) {
        PartCursor made = parts[i].cursor(i);
        made.start(base, to);
        cursors[i] = made;
      } else if (again || cursor.next() < base) {
        cursor.start(base, to);
      }
    }
    at = block;
    astray = false;
  }

  private void moveBlock(long block) throws IOException {
    long base = block * blockBytes;
    long end = Math.min(to, base + blockBytes);
    int cursor = 0;
    while (cursor < cursors.length) {
      pieces.clear();
      while (cursor < cursors.length) {
        PartCursor one = cursors[cursor];
        if (one != null) {
          one.take(base, end, pieces);
        }
        if (pieces.isFull()) {
          break; // later parts wait, so that their bytes still come last
        }
        cursor++;
      }
      if (!pieces.isEmpty()) {
        movePieces(block);
      }
    }
  }

  private void movePieces(long block) throws IOException {
    env.charge(Work.PLAN, pieces.vectors());
    if (write) {
      pinForWriting(block);
    } else if (!pinForReading(block)) {
      pieces.zero(memory);
      return;
    }
    BlockPinner pinner = strandPinner.pinner();
    boolean copied = false;
    try {
      copy(pinner.memory());
      copied = true;
    } finally {
      pinner.release(copied, pieces.bytes(), pieces.runs());
    }
    pieces.notifySenders(parts, underWay, strand);
  }

  private void copy(MemorySegment block) {
    if (!pieces.areScattered()) {
      if (write) {
        pieces.copyIn(memory, block);
      } else {
        pieces.copyOut(block, memory);
      }
    } else if (write) {
      pieces.copyIn(memory, block, scratchBuffers.get(blockBytes));
    } else {
      pieces.copyOut(block, memory, scratchBuffers.get(blockBytes));
    }
  }

  private void pinForWriting(long block) throws IOException {
    int low = pieces.low();
    int high = pieces.high();
    strandPinner.with(
        pinner -> {
          // gaps are looked for only where they matter
          boolean gaps = !pinner.wouldLoad(block, low, high) || pieces.hasGaps(coverage);
          pinner.write(block, low, high, gaps);
          return true;
        });
  }

  /** False if the block is a hole. */
  private boolean pinForReading(long block) throws IOException {
    return strandPinner.with(pinner -> pinner.read(block, pieces.low(), pieces.high()));
  }
}
