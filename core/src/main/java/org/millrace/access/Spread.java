package org.millrace.access;

/**
 * How the indices of one dimension are distributed over the ranks along it. Immutable.
 *
 * <p>Block sizes of 0 stand for the default, so that the kinds stay plain values.
 */
public sealed interface Spread {

  /** Not at all: there is one rank along this dimension, and it has all indices. */
  static Spread none() {
    return new None();
  }

  /** One block for each rank, as even as whole blocks allow. */
  static Spread block() {
    return new Block(0);
  }

  /** One index at a time, in turn. */
  static Spread cyclic() {
    return new Cyclic();
  }

  /** One block of the given size for each rank. */
  static Spread block(long size) {
    if (size < 1) {
      throw new IllegalArgumentException("block size " + size + " is below 1");
    }
    return new Block(size);
  }

  /** Blocks of the given size, in turn. */
  static Spread blockCyclic(long size) {
    return new BlockCyclic(size);
  }

  /** Indices that go to one rank before the next has its turn, in a dimension of n over p ranks. */
  default long blockSize(long n, int p) {
    return switch (this) {
      case None none -> Math.max(1, n);
      case Block block -> block.size > 0 ? block.size : Math.max(1, Math.ceilDiv(n, p));
      case Cyclic cyclic -> 1;
      case BlockCyclic block -> block.size;
    };
  }

  /** Not distributed. */
  record None() implements Spread {}

  /**
   * One block for each rank.
   *
   * @param size indices in a block; 0 stands for n / p, rounded up
   */
  record Block(long size) implements Spread {
    /** Refuses negative sizes. */
    public Block {
      if (size < 0) {
        throw new IllegalArgumentException("block size " + size + " is negative");
      }
    }
  }

  /** One index at a time. */
  record Cyclic() implements Spread {}

  /**
   * Blocks in turn.
   *
   * @param size indices in a block
   */
  record BlockCyclic(long size) implements Spread {
    /** Refuses empty blocks. */
    public BlockCyclic {
      if (size < 1) {
        throw new IllegalArgumentException("block size " + size + " is below 1");
      }
    }
  }
}
