package org.millrace.cache;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.access.copy.Kernels;

/**
 * Copies vectors of runs between packed memory and the blocks of one strand: one lookup per block,
 * then a tight loop. As in {@link Contiguous}, the lock is held on entry and return.
 */
final class Strided {

  /** Blocks of a widely spread request that are loaded while the first of them is waited for. */
  private static final int HINTS = 8;

  private final CacheState state;
  private final Strand strand;
  private final Contiguous contiguous;
  private final ReadAhead readAhead;

  Strided(CacheState state, Strand strand, Contiguous contiguous, ReadAhead readAhead) {
    this.state = state;
    this.strand = strand;
    this.contiguous = contiguous;
    this.readAhead = readAhead;
  }

  /**
   * Copies runs out of blocks, or into them if {@code write}. Returns how many blocks were visited.
   */
  long move(
      boolean write,
      long offset,
      long length,
      long stride,
      long count,
      MemorySegment memory,
      long at,
      long atStride,
      long deadlineNanos)
      throws IOException {
    long lastBlock = lastBlock(offset, length, stride, count);
    long visits = 0;
    long done = 0;
    while (done < count) {
      long start = offset + done * stride;
      long block = start >>> strand.shift;
      int in = (int) (start & strand.mask);
      long here = at + done * atStride;
      long last = Math.max(lastBlock, block);
      if (in + length > strand.blockBytes()) {
        visits += moveRun(write, start, length, memory, here, last, deadlineNanos);
        done++;
      } else {
        long runs = runsWithin(in, length, stride, count - done);
        if (write) {
          scatter(block, in, length, stride, runs, memory, here, atStride, last, deadlineNanos);
        } else {
          hintAt(block, start, stride, count - done);
          gather(block, in, length, stride, runs, memory, here, atStride, last, deadlineNanos);
        }
        visits++;
        done += runs;
      }
    }
    return visits;
  }

  /** One run that crosses from block to block. What is overwritten whole is not read before. */
  private long moveRun(
      boolean write,
      long offset,
      long length,
      MemorySegment memory,
      long at,
      long lastBlock,
      long deadlineNanos)
      throws IOException {
    long last = Math.max(lastBlock, (offset + length - 1) >>> strand.shift);
    long visits = 0;
    for (long done = 0; done < length; visits++) {
      long block = (offset + done) >>> strand.shift;
      int in = (int) ((offset + done) & strand.mask);
      long piece = Math.min(length - done, strand.blockBytes() - in);
      if (write) {
        scatter(block, in, piece, piece, 1, memory, at + done, piece, block, deadlineNanos);
      } else {
        gather(block, in, piece, piece, 1, memory, at + done, piece, last, deadlineNanos);
      }
      done += piece;
    }
    return visits;
  }

  /** Out of runs that lie in one block. */
  private void gather(
      long block,
      int in,
      long length,
      long stride,
      long runs,
      MemorySegment into,
      long at,
      long atStride,
      long lastBlock,
      long deadlineNanos)
      throws IOException {
    long bytes = runs * length;
    Frame frame = null;
    boolean large = bytes > CacheState.SMALL_BYTES;
    if (block << strand.shift < strand.end) {
      int low = (int) (stride < 0 ? in + (runs - 1) * stride : in);
      int high = (int) (stride < 0 ? in + length : in + (runs - 1) * stride + length);
      frame = contiguous.reading(block, low, high, large, lastBlock, deadlineNanos);
    }
    if (frame == null) {
      strand.checkOpen();
      Kernels.zero(into, at, atStride, length, runs);
    } else if (large) {
      frame.readers++;
      state.release();
      try {
        Kernels.copy(frame.memory, in, stride, into, at, atStride, length, runs);
      } finally {
        state.acquire();
        state.endReading(frame);
      }
    } else {
      Kernels.copy(frame.memory, in, stride, into, at, atStride, length, runs);
    }
  }

  /** Into runs that lie in one block. */
  private void scatter(
      long block,
      int in,
      long length,
      long stride,
      long runs,
      MemorySegment from,
      long at,
      long atStride,
      long lastBlock,
      long deadlineNanos)
      throws IOException {
    int low = (int) (stride < 0 ? in + (runs - 1) * stride : in);
    int high = (int) (stride < 0 ? in + length : in + (runs - 1) * stride + length);
    boolean large = runs * length > CacheState.SMALL_BYTES;
    boolean gaps = runs > 1 && Math.abs(stride) > length;
    Frame frame = contiguous.writing(block, low, high, gaps, large, lastBlock, deadlineNanos);
    boolean copied = false;
    if (large) {
      frame.exclusive = true;
      state.release();
    }
    try {
      Kernels.copy(from, at, atStride, frame.memory, in, stride, length, runs);
      copied = true;
    } finally {
      if (large) {
        state.acquire();
      }
      state.endWriting(frame, strand, low, high, copied);
    }
    contiguous.writeBehind();
  }

  /**
   * How many of {@code count} runs that start at {@code in} lie wholly in this block; at least one
   * does.
   */
  private long runsWithin(long in, long length, long stride, long count) {
    if (stride == 0) {
      return count;
    }
    long room = stride > 0 ? (strand.blockBytes() - in - length) / stride : in / -stride;
    return Math.min(count, room + 1);
  }

  /**
   * The last block of a request that visits block after block, so that they can be loaded together;
   * else none.
   */
  private long lastBlock(long offset, long length, long stride, long count) {
    boolean dense = stride >= 0 && stride < strand.blockBytes();
    return dense ? (offset + (count - 1) * stride + length - 1) >>> strand.shift : -1;
  }

  /** Before a miss of a widely spread request: lets the disk begin with its next blocks, too. */
  private void hintAt(long block, long start, long stride, long count) {
    if (Math.abs(stride) >= strand.blockBytes() && isAbsent(block)) {
      long bytes = Math.min(state.options.readAheadBytes(), state.slabs.limitBytes() / 4);
      long max = Math.min(Math.min(HINTS, bytes >>> strand.shift), count - 1);
      for (long i = 1; i <= max; i++) {
        long next = (start + i * stride) >>> strand.shift;
        readAhead.prefetch(strand, next, next + 1);
      }
    }
  }

  private boolean isAbsent(long block) {
    @Nullable Frame frame = state.find(strand, block);
    return frame == null && block < strand.storedBlocks;
  }
}
