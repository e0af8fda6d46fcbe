package org.millrace.plan.collective;

import org.millrace.access.copy.Places;

/**
 * The part of a {@link Chunk} that belongs to one rank. Immutable.
 *
 * @param rank whose
 * @param from the first position of the rank's view
 * @param to one past the last position
 * @param places where these bytes lie in the chunk's buffer, by position
 */
public record Piece(int rank, long from, long to, Places places) {

  /** How many bytes. */
  public long bytes() {
    return to - from;
  }
}
