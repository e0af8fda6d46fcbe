package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.cache.Lease;
import org.millrace.disk.BlockStore;
import org.millrace.env.Env;
import org.millrace.env.Work;

/**
 * Moves the pieces of all parts between blocks and the parts' memory, parts in ascending order, and
 * blocks between cache and disk. A block is looked up once, however many parts want it.
 *
 * <p>Owned by one thread. Has nothing lent when a method returns or throws.
 */
final class DirectWorker {

  // Constant after construction.
  private final Env env;
  private final DirectPart[] parts;
  private final MemorySegment[] memory;
  private final PartCursor[] cursors;
  private final boolean write;
  private final long to;
  private final Lender lender;
  private final Scratches.Loan scratches;
  private final Buffers buffers;
  private final Pieces pieces = new Pieces();
  private final Coverage coverage = new Coverage();

  /** A worker for the strand's bytes before {@code to}. */
  DirectWorker(
      Env env,
      DirectPart[] parts,
      MemorySegment[] memory,
      long to,
      Lender lender,
      Scratches.Loan scratches,
      Buffers buffers) {
    this.env = env;
    this.parts = parts;
    this.memory = memory;
    this.to = to;
    this.lender = lender;
    this.scratches = scratches;
    this.buffers = buffers;
    this.cursors = new PartCursor[parts.length];
    for (int i = 0; i < parts.length; i++) {
      cursors[i] = parts[i].cursor(i);
    }
    this.write = parts[0].request().write();
  }

  /** Whether the disk has to be asked for some of the blocks {@code [first, end)}. */
  boolean isAbsent(long first, long end) throws IOException {
    return lender.ask(lease -> lease.isAbsent(first, end));
  }

  /** Reads what is absent of blocks, and leaves the disk that it has. */
  void load(long first, long end) throws IOException {
    try {
      lender.ask(
          lease -> {
            lease.load(first, end);
            return true;
          });
    } finally {
      buffers.leaveDisk();
    }
  }

  /** Writes the blocks of a step when all earlier steps are with the disk. */
  void write(int step, long first, long end) throws IOException {
    if (!buffers.enterDiskInOrder(step)) {
      return;
    }
    try {
      lender.ask(
          lease -> {
            lease.writeBack(first, end);
            return true;
          });
    } finally {
      buffers.leaveDisk();
    }
  }

  /** Moves the pieces of the blocks {@code [first, end)}, of each of which some are wanted. */
  void move(long first, long end) throws IOException {
    for (long block = first; block < end; block++) {
      if (next() / BlockStore.BLOCK_BYTES != block) {
        for (PartCursor cursor : cursors) {
          cursor.start(block * BlockStore.BLOCK_BYTES, to);
        }
      }
      moveBlock(block);
    }
  }

  private long next() {
    long next = Long.MAX_VALUE;
    for (PartCursor cursor : cursors) {
      next = Math.min(next, cursor.next());
    }
    return next;
  }

  private void moveBlock(long block) throws IOException {
    long base = block * BlockStore.BLOCK_BYTES;
    long end = Math.min(to, base + BlockStore.BLOCK_BYTES);
    int cursor = 0;
    while (cursor < cursors.length) {
      pieces.clear();
      while (cursor < cursors.length) {
        cursors[cursor].take(base, end, pieces);
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
    env.charge(Work.PLAN, pieces.combs());
    if (write) {
      lendForWriting(block);
    } else if (!lendForReading(block)) {
      pieces.zero(memory);
      return;
    }
    Lease lease = lender.lease();
    boolean copied = false;
    try {
      copy(lease.memory());
      copied = true;
    } finally {
      lease.giveBack(copied, pieces.bytes(), pieces.runs());
    }
    pieces.tell(parts);
  }

  private void copy(MemorySegment block) {
    if (!pieces.areScattered()) {
      if (write) {
        pieces.copyIn(memory, block);
      } else {
        pieces.copyOut(block, memory);
      }
    } else if (write) {
      pieces.copyIn(memory, block, scratches.get());
    } else {
      pieces.copyOut(block, memory, scratches.get());
    }
  }

  private void lendForWriting(long block) throws IOException {
    int low = pieces.low();
    int high = pieces.high();
    boolean gaps = true;
    if (lender.ask(lease -> lease.wouldLoad(block, low, high, true))) {
      gaps = pieces.hasGaps(coverage); // looked for only where it matters
      if (gaps || lender.ask(lease -> lease.wouldLoad(block, low, high, false))) {
        loadForWriting(block);
      }
    }
    boolean kept = gaps;
    lender.ask(
        lease -> {
          lease.write(block, low, high, kept);
          return true;
        });
  }

  private void loadForWriting(long block) throws IOException {
    if (buffers.enterDisk()) {
      load(block, block + 1);
    }
  }

  /** False if the block is a hole. */
  private boolean lendForReading(long block) throws IOException {
    return lender.ask(lease -> lease.read(block, pieces.low(), pieces.high()));
  }
}
