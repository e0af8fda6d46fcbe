package org.millrace.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Words behind the blocks of a slab by which other processes see, without a message, whether a
 * place still holds the block that was pinned there, and tell the node that they have read it. Pure
 * functions over the memory of a slab:
 *
 * <pre>
 *   [block 0][block 1]...[block n-1] unused [version n-1, mark n-1]...[version 0, mark 0]
 *                                            each 8 bytes, in the machine's order
 *   version  odd: the place holds all of one block, and has done so since the version became this
 *            one; even: it may hold anything
 *   mark     1: somebody has read it without a message since the node looked last; or 0
 * </pre>
 *
 * A version only grows. The node makes it odd when it pins the block for a reader, and even before
 * it does anything else with the place: before the block is evicted, cut off, removed, or goes on
 * in other memory. It stays odd while bytes of the block are written, by the node or by others: who
 * reads meanwhile sees old or new ones, as the holder of a pin does.
 *
 * <p>So a process that has had a block pinned can read it again. It looks at the version, copies,
 * and looks again. If it has seen the version of the pin both times, the place has held the block
 * all the time, and everything that had been written before is in what was copied. Memory that its
 * maker has given back is zero, and so are its versions. A maker that was killed gives nothing
 * back: a reader must ask the system first whether it lives.
 *
 * <p>Marks are hints. Who sets them wrongly makes a cache keep blocks that nobody wants.
 *
 * <p>Safe for use by several threads and processes; holds no state. Versions of one slab are
 * changed by one thread at a time.
 */
public final class BlockVersions {

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  private static final long PAGE_BYTES = 4096;

  /** The words of a block. */
  private static final long WORDS_BYTES = 2 * Long.BYTES;

  private BlockVersions() {}

  /** How much longer a slab of so many blocks is for their versions. */
  public static long bytes(int blocks) {
    return Math.ceilDiv(blocks * WORDS_BYTES, PAGE_BYTES) * PAGE_BYTES;
  }

  /** Where the version of a block stands in its slab; negative if there is none. */
  public static long at(MemorySegment slab, long block) {
    return slab.byteSize() - (block + 1) * WORDS_BYTES;
  }

  /** Reads what stands there: a load that later ones do not overtake. */
  public static long get(MemorySegment slab, long at) {
    return (long) WORD.getAcquire(slab, at);
  }

  /** Marks the block whose version stands there as read. */
  public static void mark(MemorySegment slab, long at) {
    if ((long) WORD.getOpaque(slab, at + Long.BYTES) == 0) { // else the line stays shared
      WORD.setOpaque(slab, at + Long.BYTES, 1L);
    }
  }

  /** Whether somebody has marked a block as read since this was asked last. For the node. */
  public static boolean takeMark(MemorySegment slab, int block) {
    long at = at(slab, block) + Long.BYTES;
    boolean marked = (long) WORD.getOpaque(slab, at) != 0;
    if (marked) {
      WORD.setOpaque(slab, at, 0L);
    }
    return marked;
  }

  /** Whether a version says that the place holds a block. */
  public static boolean isPublished(long version) {
    return (version & 1) != 0;
  }

  /** Says that a place holds a block. For the node. */
  public static void publish(MemorySegment slab, int block) {
    long at = at(slab, block);
    long version = get(slab, at);
    if (!isPublished(version)) {
      WORD.setVolatile(slab, at, version + 1);
    }
  }

  /** Says that a place may hold anything from now on. For the node. */
  public static void withdraw(MemorySegment slab, int block) {
    long at = at(slab, block);
    long version = get(slab, at);
    if (isPublished(version)) {
      WORD.setVolatile(slab, at, version + 1);
      WORD.setOpaque(slab, at + Long.BYTES, 0L); // what comes there next was read by nobody
      VarHandle.fullFence(); // what is stored there next is stored after it
    }
  }
}
