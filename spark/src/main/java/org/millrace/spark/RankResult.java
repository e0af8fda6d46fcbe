package org.millrace.spark;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What a rank returned. Immutable; ordered by rank.
 *
 * @param rank its number
 * @param value what it returned; serializable if Spark is to carry it
 */
@SuppressWarnings("serial") // whether it is serializable is the program's business
record RankResult(int rank, @Nullable Object value)
    implements Serializable, Comparable<RankResult> {

  @Override
  public int compareTo(RankResult other) {
    return Integer.compare(rank, other.rank);
  }
}
