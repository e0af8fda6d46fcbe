package org.millrace.access;

import java.util.Objects;

/**
 * One rank's part of a collective request: a range of positions of its view. Immutable.
 *
 * @param view through which the rank sees the file
 * @param from its first position
 * @param to one past its last position
 */
public record Access(View view, long from, long to) {

  /** A rank that wants nothing and takes part all the same. */
  public static final Access NOTHING = new Access(View.EMPTY, 0, 0);

  /** Checks that the positions lie in the view. */
  public Access {
    Objects.requireNonNull(view, "view");
    view.checkReach(from, to);
  }

  /** The bytes from number {@code first} to before {@code end} of it. */
  public Access part(long first, long end) {
    return new Access(view, from + first, from + end);
  }

  /** How many bytes are wanted. */
  public long size() {
    return to - from;
  }

  /** Whether nothing is wanted. */
  public boolean isEmpty() {
    return from == to;
  }

  /** The smallest extent of the file that holds all of it. */
  public Extent span() {
    return view.span(from, to);
  }

  /**
   * How many of the wanted bytes lie below a file offset, for ascending views: their first position
   * at or behind it is {@code from()} plus this.
   */
  public long below(long fileOffset) {
    return Math.clamp(view.positionOf(fileOffset), from, to) - from;
  }
}
