package org.millrace.transfer;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.access.copy.Kernels;
import org.millrace.env.Env;
import org.millrace.env.Work;
import org.millrace.protocol.PinnedBlocks.WantedBlocks;

/**
 * A part of an access on one strand: pieces that are regular in the strand and in memory, in the
 * order of their positions, and the blocks that they touch.
 *
 * <p>Owned by one thread.
 */
final class PinWindow {

  /** More pieces than this make another window. */
  private static final int MAX_PIECES = 4096;

  /** A piece: offset, length, stride, count, place, place's stride. */
  private static final int FIELDS = 6;

  // constant after construction
  private final long blockBytes;
  private final int maxBlocks;

  private long[] pieces = new long[16 * FIELDS];
  private int count;
  private long from = -1;
  private long to;
  private long end;

  // the blocks, ascending, and whether one run covers each wholly
  private final long[] blocks;
  private final boolean[] whole;
  private int blockCount;

  PinWindow(long blockBytes, int maxBlocks) {
    this.blockBytes = blockBytes;
    this.maxBlocks = maxBlocks;
    this.blocks = new long[maxBlocks];
    this.whole = new boolean[maxBlocks];
  }

  boolean isEmpty() {
    return count == 0;
  }

  boolean isFull() {
    return count == MAX_PIECES;
  }

  /** The access's first byte in it. */
  long from() {
    return from;
  }

  /** One past the access's last byte in it. */
  long to() {
    return to;
  }

  /** One past the highest byte of the strand in it. */
  long end() {
    return end;
  }

  /** Adds the blocks from {@code block} to before {@code limit} while there is room. */
  long addBlocks(long block, long limit) {
    long next = block;
    while (next < limit && addBlock(next)) {
      next++;
    }
    return next;
  }

  private boolean addBlock(long block) {
    if (blockCount == 0 || block > blocks[blockCount - 1]) {
      if (blockCount == maxBlocks) {
        return false;
      }
      blocks[blockCount] = block;
      whole[blockCount++] = false;
      return true;
    }
    int at = Arrays.binarySearch(blocks, 0, blockCount, block);
    if (at >= 0) {
      return true;
    }
    if (blockCount == maxBlocks) {
      return false;
    }
    int place = -at - 1;
    System.arraycopy(blocks, place, blocks, place + 1, blockCount - place);
    System.arraycopy(whole, place, whole, place + 1, blockCount - place);
    blocks[place] = block;
    whole[place] = false;
    blockCount++;
    return true;
  }

  /** Adds a piece whose blocks are there; {@code position} is its first byte's in the access. */
  void addPiece(
      long position, long offset, long length, long stride, long runs, long place, long step) {
    if ((count + 1) * FIELDS > pieces.length) {
      pieces = Arrays.copyOf(pieces, 2 * pieces.length);
    }
    int at = count++ * FIELDS;
    pieces[at] = offset;
    pieces[at + 1] = length;
    pieces[at + 2] = stride;
    pieces[at + 3] = runs;
    pieces[at + 4] = place;
    pieces[at + 5] = step;
    from = from < 0 ? position : from;
    to = position + length * runs;
    long last = stride < 0 ? offset : offset + (runs - 1) * stride;
    end = Math.max(end, last + length);
    if (runs == 1) {
      markWhole(offset, length);
    }
  }

  private void markWhole(long offset, long length) {
    long first = Math.ceilDiv(offset, blockBytes);
    long limit = (offset + length) / blockBytes;
    if (first < limit) {
      int at = Arrays.binarySearch(blocks, 0, blockCount, first);
      for (int i = at; i < blockCount && blocks[i] < limit; i++) {
        whole[i] = true;
      }
    }
  }

  /** The blocks as requested from the node. */
  List<WantedBlocks> wanted(boolean write) {
    List<WantedBlocks> wanted = new ArrayList<>();
    for (int i = 0; i < blockCount; ) {
      int next = i + 1;
      while (next < blockCount
          && blocks[next] == blocks[next - 1] + 1
          && (!write || whole[next] == whole[i])) {
        next++;
      }
      wanted.add(new WantedBlocks(blocks[i], next - i, write && whole[i]));
      i = next;
    }
    return wanted;
  }

  /** Copies all pieces between memory and the blocks, which lie where {@code there} says. */
  void copy(Env env, boolean write, PinnedExtents there, MemorySegment memory) {
    for (int i = 0; i < count; i++) {
      int at = i * FIELDS;
      env.charge(Work.COPY, pieces[at + 1] * pieces[at + 3]);
      env.charge(Work.PIECE, pieces[at + 3]);
      copyPiece(
          write,
          there,
          memory,
          pieces[at],
          pieces[at + 1],
          pieces[at + 2],
          pieces[at + 3],
          pieces[at + 4],
          pieces[at + 5]);
    }
  }

  /** Takes runs of bytes that are pinned. */
  interface RunTaker {
    /** Bytes with a place, where they lie; null if they are zero and lie nowhere. */
    void run(long place, long bytes, @Nullable MemorySegment memory);
  }

  /** Gives all bytes of contiguous pieces, run by run, each as far as it lies in one place. */
  void forEachRun(PinnedExtents there, RunTaker taker) {
    for (int i = 0; i < count; i++) {
      int at = i * FIELDS;
      for (long run = 0; run < pieces[at + 3]; run++) {
        long start = pieces[at] + run * pieces[at + 2];
        long place = pieces[at + 4] + run * pieces[at + 5];
        for (long passed = 0; passed < pieces[at + 1]; ) {
          there.find(start + passed);
          long part = Math.min(pieces[at + 1] - passed, there.end() - start - passed);
          MemorySegment slab = there.memory();
          taker.run(
              place + passed,
              part,
              slab == null ? null : slab.asSlice(there.at(start + passed), part));
          passed += part;
        }
      }
    }
  }

  private static void copyPiece(
      boolean write,
      PinnedExtents there,
      MemorySegment memory,
      long offset,
      long length,
      long stride,
      long runs,
      long place,
      long step) {
    for (long done = 0; done < runs; ) {
      long start = offset + done * stride;
      there.find(start);
      long inside = there.runsInside(start, length, stride, runs - done);
      if (inside > 0) {
        copyRuns(write, there, memory, start, length, stride, inside, place + done * step, step);
        done += inside;
      } else {
        for (long passed = 0; passed < length; ) {
          there.find(start + passed);
          long part = Math.min(length - passed, there.end() - start - passed);
          long at = place + done * step + passed;
          copyRuns(write, there, memory, start + passed, part, part, 1, at, part);
          passed += part;
        }
        done++;
      }
    }
  }

  private static void copyRuns(
      boolean write,
      PinnedExtents there,
      MemorySegment memory,
      long start,
      long length,
      long stride,
      long runs,
      long place,
      long step) {
    @Nullable MemorySegment slab = there.memory();
    if (slab == null) {
      Kernels.zero(memory, place, step, length, runs);
    } else if (write) {
      Kernels.copy(memory, place, step, slab, there.at(start), stride, length, runs);
    } else {
      Kernels.copy(slab, there.at(start), stride, memory, place, step, length, runs);
    }
  }
}
