package org.millrace.protocol;

/** Values in requests to pin blocks and in their answers. */
public final class PinnedBlocks {

  private PinnedBlocks() {}

  /**
   * Blocks of a strand, one behind the other.
   *
   * @param first number of the first one
   * @param count how many
   * @param whole whether the sender will overwrite all of them
   */
  public record WantedBlocks(long first, int count, boolean whole) {}

  /**
   * What is given back.
   *
   * @param pin its number
   * @param written whether the sender has written all that it wanted to
   * @param end where the strand ends at least, if so
   */
  public record ReturnedPin(long pin, boolean written, long end) {}

  /**
   * Where blocks that were wanted one behind the other lie, one behind the other.
   *
   * @param slab number of the node's memory in which they lie; {@link #HOLE} if they are zero and
   *     have no memory
   * @param generation which of the memories that have had this number
   * @param offset where the first begins
   * @param count how many
   */
  public record BlockPlace(int slab, int generation, long offset, int count) {

    /** The slab of what has no memory. */
    public static final int HOLE = -1;

    /** The slab that holds the {@link KeptCells} of a node. */
    public static final int CELLS = -2;
  }
}
