package org.millrace.access;

/** Whether a pattern or a view shows some byte twice. */
public enum Disjointness {
  /** It shows every byte at most once. */
  DISJOINT,
  /** It shows some byte twice. */
  OVERLAPPING,
  /**
   * It would take too long to tell. This is left to irregular patterns that are interleaved with
   * themselves by several strides that are no multiples of each other, in large numbers; {@link
   * Pattern#disjointness} says which.
   */
  UNDECIDED
}
