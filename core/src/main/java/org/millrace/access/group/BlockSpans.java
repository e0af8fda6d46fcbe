package org.millrace.access.group;

import java.util.Arrays;
import org.millrace.access.Cursor;

/**
 * What several accesses want of neighbouring blocks of one strand: of each block bytes among which
 * are all that any of them wants, and perhaps others. Where it begins and ends as a whole is exact.
 * Immutable.
 */
public final class BlockSpans {

  private final int blockBytes;
  private final long first;
  private final int[] from;
  private final int[] to;
  private final int wanted;

  private BlockSpans(int blockBytes, long first, int[] from, int[] to, int wanted) {
    this.blockBytes = blockBytes;
    this.first = first;
    this.from = from;
    this.to = to;
    this.wanted = wanted;
  }

  /** Bytes of a block. */
  public int blockBytes() {
    return blockBytes;
  }

  /** The number of the lowest block. */
  public long first() {
    return first;
  }

  /** How many blocks there are from the lowest on, those included that nobody wants. */
  public int count() {
    return from.length;
  }

  /** How many of them anybody wants. */
  public int wanted() {
    return wanted;
  }

  /** Whether anybody wants something of the {@code i}-th block. */
  public boolean isWanted(int i) {
    return to[i] > 0;
  }

  /** The first of these bytes of the {@code i}-th block. */
  public int from(int i) {
    return from[i];
  }

  /** One past the last of these bytes of the {@code i}-th block; 0 if nobody wants any. */
  public int to(int i) {
    return to[i];
  }

  /** Where the wanted bytes of the strand begin. */
  public long begin() {
    int i = 0;
    while (!isWanted(i)) {
      i++;
    }
    return (first + i) * blockBytes + from[i];
  }

  /** Where the wanted bytes of the strand end. */
  public long end() {
    int i = count() - 1;
    while (!isWanted(i)) {
      i--;
    }
    return (first + i) * blockBytes + to[i];
  }

  /** Collects spans. Used by one thread. */
  public static final class Builder {

    private final int blockBytes;
    private final long first;
    private final int[] from;
    private final int[] to;
    private int wanted;

    /** Of blocks of a strand that hold bytes {@code [offset, end)} of it. */
    public Builder(int blockBytes, long offset, long end) {
      this.blockBytes = blockBytes;
      this.first = offset / blockBytes;
      int count = end <= offset ? 0 : Math.toIntExact((end - 1) / blockBytes - first + 1);
      from = new int[count];
      to = new int[count];
      Arrays.fill(from, blockBytes);
    }

    /** Adds all runs of a cursor, whose offsets are the strand's. */
    public void add(Cursor runs) {
      while (runs.next()) {
        long stride = runs.stride();
        if (Math.abs(stride) <= blockBytes) { // no block between two of them is left out
          long last = runs.offset() + (runs.count() - 1) * stride;
          mark(Math.min(runs.offset(), last), Math.max(runs.offset(), last) + runs.length());
          continue;
        }
        for (long i = 0; i < runs.count(); i++) {
          long offset = runs.offset() + i * stride;
          mark(offset, offset + runs.length());
        }
      }
    }

    private void mark(long offset, long end) {
      int block = (int) (offset / blockBytes - first);
      int low = (int) (offset % blockBytes);
      long left = end - offset;
      while (left > 0) {
        int high = (int) Math.min(low + left, blockBytes);
        wanted += to[block] == 0 ? 1 : 0;
        from[block] = Math.min(from[block], low);
        to[block] = Math.max(to[block], high);
        left -= high - low;
        low = 0;
        block++;
      }
    }

    /** How many blocks are wanted so far. */
    public int wanted() {
      return wanted;
    }

    /** What was added. */
    public BlockSpans build() {
      return new BlockSpans(blockBytes, first, from.clone(), to.clone(), wanted);
    }
  }
}
