package org.millrace.plan.collective;

import java.util.AbstractList;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.stream.IntStream;
import org.millrace.access.Access;

/**
 * The requests of a few of many ranks. The others are unknown and count as empty. It takes memory
 * for the known ones only.
 *
 * <p>Immutable; safe for use by several threads.
 */
final class PartnerAccesses extends AbstractList<Access> implements RandomAccess {

  private final int ranks;
  private final NavigableMap<Integer, Access> known;

  /**
   * A list.
   *
   * @param ranks how many there are in all
   * @param known what is known, by rank; not changed any more
   */
  PartnerAccesses(int ranks, NavigableMap<Integer, Access> known) {
    if (!known.isEmpty() && (known.firstKey() < 0 || known.lastKey() >= ranks)) {
      throw new IllegalArgumentException(
          "ranks %s to %s of %s".formatted(known.firstKey(), known.lastKey(), ranks));
    }
    this.ranks = ranks;
    this.known = known;
  }

  /** The ranks of which something is known, ascending. */
  IntStream known() {
    return known.keySet().stream().mapToInt(Integer::intValue);
  }

  @Override
  public int size() {
    return ranks;
  }

  @Override
  public Access get(int rank) {
    return known.getOrDefault(Objects.checkIndex(rank, ranks), Access.NOTHING);
  }
}
