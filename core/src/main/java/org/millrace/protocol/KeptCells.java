package org.millrace.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Words of shared memory through which a node and a process that keeps some of its blocks
 * communicate without messages, one for each such pin. Pure functions over the memory:
 *
 * <pre>
 *   cell i at byte 64 * i, in the machine's byte order, the rest of the 64 bytes unused:
 *     bits 36 to 63   the low bits of the pin's number; 0 while the cell is free
 *     bits 10 to 35   where the strand ends at least, counted from the first block that is kept
 *     bits 2 to 9     which of the blocks were written since the node looked last: of more than 8,
 *                     which of 8 groups that are equal but for the last ones
 *     bits 0 and 1    1 idle, 2 busy, 3 closed
 *
 *            begin            close
 *     idle ---------&gt; busy ----------&gt; closed
 *      |  &lt;---------                      ^
 *      |      end                         |
 *      '----------------------------------'
 *                    close
 * </pre>
 *
 * The holder touches the blocks only while its cell is busy. A write counts when {@link #end} has
 * put it into the word, in the same step in which the cell becomes idle; of a cell that the node
 * has closed meanwhile it does not count, and has to be made another way. So a node that closes a
 * cell knows everything that counts; if the cell was idle it also knows that nobody touches the
 * blocks, and never will.
 *
 * <p>Safe for use by several threads and processes; holds no state.
 */
public final class KeptCells {

  /** How many bytes a cell takes. */
  public static final int CELL_BYTES = 64;

  /** How many blocks may be kept by one pin. */
  public static final int MAX_BLOCKS = 64;

  /** Of so many blocks the node learns exactly which were written. */
  public static final int GROUPS = 8;

  private static final int SERIAL_SHIFT = 36;
  private static final int END_SHIFT = 10;
  private static final long END_MASK = (1L << (SERIAL_SHIFT - END_SHIFT)) - 1;
  private static final int WRITTEN_SHIFT = 2;
  private static final long WRITTEN_MASK = (1L << GROUPS) - 1;
  private static final long STATE_MASK = 3;
  private static final long IDLE = 1;
  private static final long BUSY = 2;
  private static final long CLOSED = 3;

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  private KeptCells() {}

  /** Whether so many bytes can be kept by one pin. */
  public static boolean fits(long bytes) {
    return bytes <= END_MASK;
  }

  /** Gives a free cell to a pin. For the node. */
  public static void open(MemorySegment cells, int cell, long pin) {
    WORD.setVolatile(cells, at(cell), pin << SERIAL_SHIFT | IDLE);
  }

  /** Frees a cell. For the node. */
  public static void free(MemorySegment cells, int cell) {
    WORD.setVolatile(cells, at(cell), 0L);
  }

  /** Begins a write. False if the node has closed the cell, or given it to another pin. */
  public static boolean begin(MemorySegment cells, int cell, long pin) {
    while (true) {
      long word = word(cells, cell);
      if (!isOf(word, pin) || (word & STATE_MASK) != IDLE) {
        return false;
      }
      if (WORD.compareAndSet(cells, at(cell), word, word - IDLE + BUSY)) {
        return true;
      }
    }
  }

  /**
   * Ends a write of some of the blocks, up to {@code end} bytes behind the begin of the first that
   * is kept. False if it does not count.
   *
   * @param groups what {@link #groups} says of them
   */
  public static boolean end(MemorySegment cells, int cell, long pin, long groups, long end) {
    while (true) {
      long word = word(cells, cell);
      if (!isOf(word, pin) || (word & STATE_MASK) != BUSY) {
        return false;
      }
      long next =
          (pin << SERIAL_SHIFT)
              | Math.max(end(word), end) << END_SHIFT
              | (groups(word) | groups) << WRITTEN_SHIFT
              | IDLE;
      if (WORD.compareAndSet(cells, at(cell), word, next)) {
        return true;
      }
    }
  }

  /** Whether something was written since the last look. For the node. */
  public static boolean hasNews(MemorySegment cells, int cell) {
    return groups(word(cells, cell)) != 0;
  }

  /** What was written up to now; it is not news any more. For the node. */
  public static long take(MemorySegment cells, int cell) {
    while (true) {
      long word = word(cells, cell);
      if (WORD.compareAndSet(cells, at(cell), word, word & ~(WRITTEN_MASK << WRITTEN_SHIFT))) {
        return word;
      }
    }
  }

  /** As {@link #take}, and nothing that ends from now on counts. For the node. */
  public static long close(MemorySegment cells, int cell) {
    while (true) {
      long word = word(cells, cell);
      long closed = (word & ~(WRITTEN_MASK << WRITTEN_SHIFT)) | CLOSED;
      if (WORD.compareAndSet(cells, at(cell), word, closed)) {
        return word;
      }
    }
  }

  /** The groups of the blocks from one to before another, of so many that are kept. */
  public static long groups(int first, int limit, int count) {
    int each = blocksOfGroup(count);
    return (1L << (limit - 1) / each + 1) - (1L << first / each);
  }

  /**
   * Which of so many blocks a word says were written: bit i is the i-th. Of more than {@link
   * #GROUPS} also others of their groups.
   */
  public static long blocks(long word, int count) {
    long groups = groups(word);
    int each = blocksOfGroup(count);
    long blocks = 0;
    for (int i = 0; groups != 0 && i < count; i++) {
      blocks |= (groups >>> i / each & 1) << i;
    }
    return blocks;
  }

  private static int blocksOfGroup(int count) {
    return Math.ceilDiv(count, GROUPS);
  }

  private static long groups(long word) {
    return word >>> WRITTEN_SHIFT & WRITTEN_MASK;
  }

  /** Where a word says that the strand ends at least, from the first block on. */
  public static long end(long word) {
    return word >>> END_SHIFT & END_MASK;
  }

  /** Whether a word says that the holder is just writing. */
  public static boolean isBusy(long word) {
    return (word & STATE_MASK) == BUSY;
  }

  private static boolean isOf(long word, long pin) {
    return word >>> SERIAL_SHIFT == pin << SERIAL_SHIFT >>> SERIAL_SHIFT;
  }

  private static long word(MemorySegment cells, int cell) {
    return (long) WORD.getVolatile(cells, at(cell));
  }

  private static long at(int cell) {
    return (long) cell * CELL_BYTES;
  }
}
