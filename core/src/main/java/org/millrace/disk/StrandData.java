package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.error.DiskFullException;

/**
 * The data file of a strand. It is written in whole blocks; after a flush its length is exact to
 * the byte.
 *
 * <p>Safe for use by several threads, except that {@link #fit} and {@link #cut} run beside no
 * write.
 */
final class StrandData {

  // Constant after construction.
  private final DiskFile file;
  private final int blockBytes;
  private final ExtentCache places;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  @GuardedBy("lock")
  private long highEnd; // one past the highest block that may have bytes in the file

  @GuardedBy("lock")
  private long preallocated;

  StrandData(DiskFile file, int blockBytes, long end) {
    this.file = file;
    this.blockBytes = blockBytes;
    this.places = new ExtentCache(file);
    this.highEnd = wholeBlocks(end);
  }

  /** {@code end} rounded up to whole blocks. */
  private long wholeBlocks(long end) {
    return Math.ceilDiv(end, blockBytes) * blockBytes;
  }

  /** Reads blocks in one transfer; what lies beyond the file's end is zero. */
  void read(long firstBlock, List<MemorySegment> into) throws IOException {
    long got = FullReads.full(file, firstBlock * blockBytes, into);
    for (int i = 0; i < into.size(); i++) {
      into.get(i).asSlice(Math.clamp(got - (long) i * blockBytes, 0, blockBytes)).fill((byte) 0);
    }
  }

  void write(long firstBlock, MemorySegment from) throws IOException {
    lock.lock();
    try {
      highEnd = Math.max(highEnd, firstBlock * blockBytes + from.byteSize());
    } finally {
      lock.unlock();
    }
    file.write(firstBlock * blockBytes, from);
    places.onWritten(firstBlock * blockBytes, firstBlock * blockBytes + from.byteSize());
  }

  void force() throws IOException {
    file.force();
    places.onForced();
  }

  /** Where the file lies on its disk. */
  ExtentCache places() {
    return places;
  }

  /** Whether blocks behind {@code end} may have been written. */
  boolean reachesBeyond(long end) {
    lock.lock();
    try {
      return highEnd > wholeBlocks(end);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes the file end at {@code end}, unless there is something behind it: blocks, or bytes of the
   * last block, that were written later than the flush was told of.
   */
  void fit(long end) throws IOException {
    lock.lock();
    try {
      long size = file.size();
      if (size == end || highEnd > wholeBlocks(end) || !isZero(end, size)) {
        return;
      }
      file.resize(end);
      places.onResized();
      if (size > end && preallocated > end) {
        takeBack();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Cutting gave the room back; others may have taken it since, which is no harm to the data. */
  @GuardedBy("lock")
  private void takeBack() throws IOException {
    try {
      file.preallocate(preallocated);
    } catch (DiskFullException e) {
      preallocated = 0;
    }
  }

  /** Whether the file holds only zeros in this range, which lies within one block. */
  private boolean isZero(long from, long to) throws IOException {
    if (from >= to) {
      return true;
    }
    MemorySegment tail = MemorySegment.ofArray(new byte[(int) (to - from)]);
    FullReads.full(file, from, tail);
    return tail.mismatch(MemorySegment.ofArray(new byte[(int) (to - from)])) < 0;
  }

  /** Cuts off whatever lies behind {@code end}. */
  void cut(long end) throws IOException {
    lock.lock();
    try {
      if (file.size() > end) {
        file.resize(end);
        places.onResized();
      }
      highEnd = Math.min(highEnd, wholeBlocks(end));
    } finally {
      lock.unlock();
    }
  }

  void preallocate(long upTo) throws IOException {
    lock.lock();
    try {
      file.preallocate(upTo);
      places.onResized();
      preallocated = Math.max(preallocated, upTo);
    } finally {
      lock.unlock();
    }
  }
}
