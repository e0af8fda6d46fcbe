package org.millrace.cache;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Work;

/**
 * Lends the blocks of a strand to one thread, one at a time, as memory: whoever moves many pieces
 * of one block looks it up once and copies without any lock. While a block is lent others may read
 * it if it is lent for reading, and nobody else may touch it if it is lent for writing; its holder
 * must not wait for anything but the copy.
 *
 * <p>Waits for the disk and for others only before the block is lent, within the cache's deadline.
 *
 * <p>For one thread. A block that was lent must be given back, whatever happens.
 */
public final class Lease {

  // Constant after construction.
  private final Books books;
  private final Strand strand;
  private final Contiguous contiguous;

  // What is lent.
  private @Nullable Frame frame;
  private int from;
  private int to;
  private boolean writing;

  Lease(Books books, Strand strand, Contiguous contiguous) {
    this.books = books;
    this.strand = strand;
    this.contiguous = contiguous;
  }

  /** Whether the store holds some of the blocks {@code [first, to)} and the cache does not. */
  public boolean isAbsent(long first, long to) throws IOException {
    books.acquire();
    try {
      strand.checkOpen();
      for (long block = first; block < Math.min(to, strand.storedBlocks); block++) {
        Frame found = books.find(strand, block);
        if (found == null || !found.isFull()) {
          return true;
        }
      }
      return false;
    } finally {
      books.release();
    }
  }

  /**
   * Brings the blocks {@code [first, to)} from the store, as far as it holds them and the cache
   * does not: neighbours in one transfer, one transfer after the other, and no other block.
   */
  public void load(long first, long to) throws IOException {
    checkFree();
    books.acquire();
    try {
      contiguous.bring(first, to);
    } finally {
      books.release();
    }
  }

  /**
   * Writes what is dirty of the blocks {@code [first, to)} to the store, ascending: neighbours in
   * one transfer, one transfer after the other, and no other block. If that fails they stay dirty.
   */
  public void writeBack(long first, long to) throws IOException {
    checkFree();
    books.acquire();
    try {
      contiguous.writeBack(first, to);
    } finally {
      books.release();
    }
  }

  /**
   * Lends bytes {@code [from, to)} of a block for reading, after loading it if need be. False, and
   * nothing to give back, if the block is all zeros and has no memory.
   */
  public boolean read(long block, int from, int to) throws IOException {
    checkFree();
    books.acquire();
    try {
      strand.checkOpen();
      if (isBeyondEnd(block)) {
        return false;
      }
      Frame found = contiguous.reading(block, from, to, true, block, Contiguous.LAZY);
      if (found == null) {
        return false;
      }
      lendForReading(found, from, to);
      return true;
    } finally {
      books.release();
    }
  }

  private boolean isBeyondEnd(long block) {
    return block << strand.shift >= strand.end;
  }

  private void lendForReading(Frame found, int from, int to) {
    found.readers++;
    lend(found, from, to, false);
  }

  /**
   * Whether writing {@code [from, to)} of a block with gaps would have to read the store: so that
   * the writer looks closely for gaps only when it matters.
   */
  public boolean wouldLoad(long block, int from, int to) {
    books.acquire();
    try {
      Frame found = books.find(strand, block);
      return (found == null || !found.covers(from, to)) && block < strand.storedBlocks;
    } finally {
      books.release();
    }
  }

  /**
   * Lends bytes {@code [from, to)} of a block for writing. Unless {@code gaps} the holder writes
   * all of them; with gaps the block is loaded first if it is stored and not there.
   */
  public void write(long block, int from, int to, boolean gaps) throws IOException {
    checkFree();
    books.acquire();
    try {
      strand.checkOpen();
      Frame found = contiguous.writing(block, from, to, gaps, true, block, Contiguous.LAZY);
      found.exclusive = true;
      lend(found, from, to, true);
    } finally {
      books.release();
    }
  }

  private void lend(Frame found, int lentFrom, int lentTo, boolean forWriting) {
    frame = found;
    from = lentFrom;
    to = lentTo;
    writing = forWriting;
  }

  private void checkFree() {
    if (frame != null) {
      throw new IllegalStateException("not given back yet: " + frame);
    }
  }

  /** The memory of the whole block that is lent; only what was asked for may be touched. */
  public MemorySegment memory() {
    return lent().memory;
  }

  private Frame lent() {
    Frame lent = frame;
    if (lent == null) {
      throw new IllegalStateException("no block is lent");
    }
    return lent;
  }

  /**
   * Gives the block back after {@code pieces} runs of {@code bytes} in all were copied. {@code
   * copied} is false if that failed: then what was to be written there is unknown.
   */
  public void giveBack(boolean copied, long bytes, long pieces) {
    Frame lent = lent();
    frame = null;
    books.acquire();
    try {
      if (writing) {
        books.endWriting(lent, strand, from, to, copied); // its holder writes it back itself
      } else {
        books.endReading(lent);
      }
    } finally {
      books.release();
    }
    books.env.charge(Work.CACHE, 1);
    books.env.charge(Work.COPY, bytes);
    books.env.charge(Work.PIECE, pieces);
  }

  /** Bytes of a block. */
  public int blockBytes() {
    return strand.blockBytes();
  }

  /**
   * The most blocks that one of {@code depth} buffers may have, so that they are moved in one
   * transfer and together take no more than a share of the cache; at least 1.
   */
  public int bufferBlocks(int depth) {
    books.acquire();
    try {
      return strand.blocksIn(
          Math.min(books.slabs.limitBytes() / 4 / depth, books.options.runBytes()));
    } finally {
      books.release();
    }
  }
}
