package org.millrace.access;

import java.util.List;

/**
 * A finite, ordered family of byte runs, given relative to offset 0. Byte number p of the pattern
 * (its <em>position</em>, 0 to size-1) lies at {@code offsetOf(p)}; the order is the pattern's own
 * and need not ascend.
 *
 * <p>A pattern is symbolic: nested loops over runs, never a list of them, so its memory grows with
 * its depth and not with its runs. Only {@link Indexed} keeps an entry for each run it was given.
 * Sequences may share children, so a ragged array part in d dimensions is a graph of O(d) nodes.
 *
 * <p>The factories normalize: loops that leave no gap become runs, loops of one vanish, loops of
 * loops merge where the stride continues, displacements move to the outside. Sizes are computed
 * once and checked: no offset, size or span exceeds a {@code long}, or the factory throws {@link
 * IllegalArgumentException}.
 *
 * <p>Immutable; safe for any number of threads.
 */
public sealed interface Pattern permits PatternNode {

  /** The pattern that selects nothing. */
  Pattern EMPTY = new Run(0);

  /** How deep patterns may nest after normalization. */
  int MAX_DEPTH = 64;

  /** The {@code length} bytes at 0. */
  static Pattern run(long length) {
    return Patterns.run(length);
  }

  /**
   * The body {@code count} times, each time {@code stride} bytes further.
   *
   * @param count how often; 0 gives the empty pattern
   * @param stride bytes from one start to the next; may be 0 or negative
   * @param body what is repeated
   */
  static Pattern loop(long count, long stride, Pattern body) {
    return Patterns.loop(count, stride, body);
  }

  /** The children one after the other, in the list's order. */
  static Pattern sequence(List<Placed> children) {
    return Patterns.sequence(children);
  }

  /**
   * An irregular list of runs, in the order given: {@code lengths[i]} bytes at {@code offsets[i]}.
   * Empty ones vanish, one that starts where the one before ends joins it.
   */
  static Pattern indexed(long[] offsets, long[] lengths) {
    return Patterns.indexed(offsets, lengths);
  }

  /** This pattern with {@code displacement} added to every offset. */
  Pattern shifted(long displacement);

  /** How many bytes are selected, each counted as often as it is selected. */
  long size();

  /** How many runs a walk meets. Neighbouring runs of different children count as two. */
  long runCount();

  /** The lowest offset selected; 0 if the pattern is empty. */
  long first();

  /** One past the highest offset selected; 0 if the pattern is empty. */
  long end();

  /** Whether the positions are one run: {@code offsetOf(p) == first() + p} for all of them. */
  boolean isContiguous();

  /** Whether offsets strictly ascend with positions. Then no byte is selected twice. */
  boolean isAscending();

  /** Whether it is certain that no byte is selected twice; see {@link #disjointness}. */
  boolean isDisjoint();

  /**
   * Whether some byte is selected twice. Decided by arithmetic, exactly, however many runs there
   * are. What it takes grows with the leaves of the pattern, not with the turns of its loops.
   *
   * <p>Two kinds are given up after a bounded search, and only if nothing simpler decides them:
   *
   * <ul>
   *   <li>irregular lists of thousands of runs that are interleaved with each other by two or more
   *       loops, all but the longest of which make hundreds of turns together: each two runs must
   *       be compared, and more than 2^21 such pairs are too many;
   *   <li>more than ten loops or so, none of whose strides clears what the others span: this is the
   *       problem whether two subsets of a list of numbers have the same sum, which is NP-complete.
   * </ul>
   */
  Disjointness disjointness();

  /** Whether arithmetic alone shows that no byte is selected twice. False means nothing. */
  boolean isClearlyDisjoint();

  /**
   * The offset of the byte at a position, in O(depth), with a binary search per sequence.
   *
   * @throws IndexOutOfBoundsException unless 0 &lt;= position &lt; size
   */
  long offsetOf(long position);

  /**
   * How many selected bytes lie below an offset: the position of that byte if it is selected, else
   * of the next one, or the size if there is none. O(depth).
   *
   * @throws IllegalStateException if the pattern is not ascending
   */
  long positionOf(long offset);

  /**
   * Whether the byte at an offset is selected.
   *
   * @throws IllegalStateException if the pattern is not ascending
   */
  boolean selects(long offset);

  /** The runs of the positions from {@code fromPosition} to before {@code toPosition}. */
  Runs runs(long fromPosition, long toPosition);

  /**
   * The runs of a range of positions, only the parts whose offsets lie from {@code fromOffset} to
   * before {@code toOffset}. What lies outside is skipped by arithmetic.
   */
  Runs runs(long fromPosition, long toPosition, long fromOffset, long toOffset);

  /**
   * The runs common to this pattern and another, in ascending order.
   *
   * @throws IllegalStateException unless both are ascending
   */
  Intersections intersect(Pattern other);
}
