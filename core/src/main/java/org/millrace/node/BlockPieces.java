package org.millrace.node;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.millrace.access.copy.Kernels;
import org.millrace.access.copy.Packer;
import org.millrace.message.ReplyTo;

/**
 * Pieces of one block in the order in which they are copied. Each is a vector of runs that is
 * regular in the block and in the memory of its part. Bounded: callers check {@link #isFull} before
 * they add.
 *
 * <p>Owned by one thread.
 */
final class BlockPieces {

  /** Bounds the memory; more pieces of a block are moved in several turns. */
  private static final int MAX = 4096;

  private static final int FEW = 64;
  private static final int FIELDS = 6;

  /** Pieces of shorter runs than this, on average, are worth a copy of the block. */
  private static final long SHORT_BYTES = 512;

  private static final long MIN_SPAN = 4096;

  private final Packer packer = new Packer();

  private int[] parts = new int[FEW];
  private long[] vectors = new long[FEW * FIELDS];
  private int size;
  private long low;
  private long high;
  private long bytes;
  private long runs;

  void clear() {
    size = 0;
    low = Long.MAX_VALUE;
    high = 0;
    bytes = 0;
    runs = 0;
  }

  boolean isFull() {
    return size == MAX;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Adds {@code count} runs, the first at {@code at} of the block and {@code place} in memory. */
  void add(int part, long at, long length, long stride, long count, long place, long placeStride) {
    if (size == parts.length) {
      parts = Arrays.copyOf(parts, 2 * size);
      vectors = Arrays.copyOf(vectors, 2 * size * FIELDS);
    }
    parts[size] = part;
    int field = size * FIELDS;
    vectors[field] = at;
    vectors[field + 1] = length;
    vectors[field + 2] = stride;
    vectors[field + 3] = count;
    vectors[field + 4] = place;
    vectors[field + 5] = placeStride;
    size++;
    long last = at + (count - 1) * stride;
    low = Math.min(low, Math.min(at, last));
    high = Math.max(high, Math.max(at, last) + length);
    bytes += length * count;
    runs += count;
  }

  /** The first byte of the block that any piece has. */
  int low() {
    return (int) low;
  }

  /** One past the last byte of the block that any piece has. */
  int high() {
    return (int) high;
  }

  /** Bytes of all pieces; those that several have count for each. */
  long bytes() {
    return bytes;
  }

  /** Runs of all pieces. */
  long runs() {
    return runs;
  }

  /**
   * Whether the pieces are so short and so close together that the processor fetches the block
   * better in one go: then they are moved between memory and a copy of it that stays in its cache.
   * Runs far apart are each a miss that nothing foresees.
   */
  boolean areScattered() {
    return size > 1
        && high - low >= MIN_SPAN
        && bytes <= runs * SHORT_BYTES
        && bytes >= (high - low) / 2;
  }

  /** How many vectors there are: so many steps it took to find them. */
  int vectors() {
    return size;
  }

  /**
   * Reports to the senders of the parts what was moved of each, and notes what is under way. It
   * begins at a sender that depends on {@code first}, so that not all nodes begin with the same
   * rank.
   */
  void notifySenders(DirectPart[] senders, List<ReplyTo.Moving> underWay, int first) {
    int begin = size == 0 ? 0 : first % size;
    while (begin > 0 && parts[begin] == parts[begin - 1]) {
      begin--;
    }
    notifySenders(begin, size, senders, underWay);
    notifySenders(0, begin, senders, underWay);
  }

  private void notifySenders(
      int from, int to, DirectPart[] senders, List<ReplyTo.Moving> underWay) {
    for (int i = from; i < to; ) {
      int part = parts[i];
      long moved = 0;
      long pieces = 0;
      for (; i < to && parts[i] == part; i++) {
        int f = i * FIELDS;
        moved += vectors[f + 1] * vectors[f + 3];
        pieces += vectors[f + 3];
      }
      ReplyTo.Moving moving = senders[part].replyTo().onMoved(moved, pieces);
      if (moving != ReplyTo.Moving.ARRIVED) {
        underWay.add(moving);
      }
    }
  }

  /** Copies from the block to memory. */
  void copyOut(MemorySegment block, MemorySegment[] memory) {
    for (int i = 0; i < size; i++) {
      int f = i * FIELDS;
      if (i == 0 || parts[i] != parts[i - 1]) {
        packer.end();
        packer.start(block, memory[parts[i]]);
      }
      packer.vector(
          vectors[f],
          vectors[f + 2],
          vectors[f + 4],
          vectors[f + 5],
          vectors[f + 1],
          vectors[f + 3]);
    }
    packer.end();
  }

  /** Copies from the block to memory, by way of {@code scratch}. */
  void copyOut(MemorySegment block, MemorySegment[] memory, MemorySegment scratch) {
    MemorySegment.copy(block, low, scratch, low, high - low);
    copyOut(scratch, memory);
  }

  /** Copies from memory to the block. */
  void copyIn(MemorySegment[] memory, MemorySegment block) {
    for (int i = 0; i < size; i++) {
      int f = i * FIELDS;
      if (i == 0 || parts[i] != parts[i - 1]) {
        packer.end();
        packer.start(memory[parts[i]], block);
      }
      packer.vector(
          vectors[f + 4],
          vectors[f + 5],
          vectors[f],
          vectors[f + 2],
          vectors[f + 1],
          vectors[f + 3]);
    }
    packer.end();
  }

  /** Copies from memory to the block, which is exclusive, through {@code scratch}. */
  void copyIn(MemorySegment[] memory, MemorySegment block, MemorySegment scratch) {
    if (!areInterleaved()) {
      MemorySegment.copy(block, low, scratch, low, high - low);
    }
    copyIn(memory, scratch);
    MemorySegment.copy(scratch, low, block, low, high - low);
  }

  /** Whether the pieces are vectors that fill each other's gaps: then nothing else is between. */
  private boolean areInterleaved() {
    long length = vectors[1];
    long stride = vectors[2];
    long count = vectors[3];
    if (size * length != stride) {
      return false;
    }
    for (int i = 1; i < size; i++) {
      int f = i * FIELDS;
      if (vectors[f] != vectors[0] + i * length
          || vectors[f + 1] != length
          || vectors[f + 2] != stride
          || vectors[f + 3] != count) {
        return false;
      }
    }
    return true;
  }

  /** Fills their places in memory with zeros. */
  void zero(MemorySegment[] memory) {
    for (int i = 0; i < size; i++) {
      int f = i * FIELDS;
      Kernels.zero(
          memory[parts[i]], vectors[f + 4], vectors[f + 5], vectors[f + 1], vectors[f + 3]);
    }
  }

  /** Whether some byte between {@link #low} and {@link #high} is in no piece. */
  boolean hasGaps(Coverage coverage) {
    if (bytes < high - low) {
      return true;
    }
    if (size == 1) {
      return !isDense(0);
    }
    coverage.reset(low, high);
    for (int i = 0; i < size; i++) {
      int f = i * FIELDS;
      if (isDense(i)) {
        coverage.add(vectors[f], vectors[f] + vectors[f + 1] * vectors[f + 3]);
      } else {
        for (long run = 0; run < vectors[f + 3]; run++) {
          long from = vectors[f] + run * vectors[f + 2];
          coverage.add(from, from + vectors[f + 1]);
        }
      }
    }
    return !coverage.isComplete();
  }

  private boolean isDense(int piece) {
    int f = piece * FIELDS;
    return vectors[f + 3] == 1 || vectors[f + 2] == vectors[f + 1];
  }
}
