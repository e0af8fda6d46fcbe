package org.millrace.plan;

/**
 * What one rank wants of an extent of the file. Immutable.
 *
 * <p>Of an ascending view the positions are exact: they are {@code bytes} many. Of another view
 * they are all positions of the rank's access, and those inside the extent are found with {@link
 * org.millrace.access.View#runs(long, long, long, long)}.
 *
 * @param rank whose
 * @param from the first position
 * @param to one past the last position
 * @param bytes how many bytes lie in the extent, each counted as often as it is selected
 */
public record Piece(int rank, long from, long to, long bytes) {

  /** Whether the positions are just those inside the extent. */
  public boolean isExact() {
    return to - from == bytes;
  }
}
