package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.cache.Lease;
import org.millrace.disk.BlockStore;
import org.millrace.env.Env;
import org.millrace.env.Work;

/**
 * Goes through ranges of a strand block by block, in order, and moves the pieces of all parts
 * between each block and their memory, parts in ascending order. A block is looked up once, however
 * many parts want it; one that nobody wants is passed over.
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
  private final int depth;
  private final Lender lender;
  private final Scratches.Loan scratches;
  private final Pieces pieces = new Pieces();
  private final Coverage coverage = new Coverage();

  // The range.
  private long to;
  private @Nullable Scout scout;

  DirectWorker(
      Env env,
      DirectPart[] parts,
      MemorySegment[] memory,
      Lender lender,
      Scratches.Loan scratches) {
    this.env = env;
    this.parts = parts;
    this.memory = memory;
    this.lender = lender;
    this.scratches = scratches;
    this.cursors = new PartCursor[parts.length];
    for (int i = 0; i < parts.length; i++) {
      cursors[i] = parts[i].cursor(i);
    }
    this.write = parts[0].request().write();
    this.depth = parts[0].request().depth();
  }

  /** Moves all that lies in {@code [rangeFrom, rangeTo)}. */
  void move(long rangeFrom, long rangeTo) throws IOException {
    to = rangeTo;
    scout = null;
    for (PartCursor cursor : cursors) {
      cursor.start(rangeFrom, rangeTo);
    }
    for (long next = next(); next < rangeTo; next = next()) {
      moveBlock(next / BlockStore.BLOCK_BYTES);
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
    lender.ask(
        lease -> {
          boolean gaps = !lease.wouldLoad(block, low, high) || pieces.hasGaps(coverage);
          lease.write(block, low, high, gaps);
          return gaps;
        });
  }

  /** False if the block is a hole. */
  private boolean lendForReading(long block) throws IOException {
    int low = pieces.low();
    int high = pieces.high();
    return lender.ask(
        lease -> {
          if (scout == null) {
            Lease.Found found = lease.tryRead(block, low, high);
            if (found != Lease.Found.ABSENT) {
              return found == Lease.Found.LENT;
            }
            scout = new Scout(parts, lease, depth, block * BlockStore.BLOCK_BYTES, to);
          }
          scout.lookAhead(lease, block);
          return lease.read(block, low, high);
        });
  }
}
