package org.millrace.plan.collective;

import java.util.AbstractList;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * The strands 0, 1, 2 ... as a list that takes no memory. Immutable.
 *
 * <p>Safe for use by several threads.
 */
final class FirstStrands extends AbstractList<Integer> implements RandomAccess {

  private final int count;

  /** So many. */
  FirstStrands(int count) {
    this.count = count;
  }

  @Override
  public int size() {
    return count;
  }

  @Override
  public Integer get(int index) {
    return Objects.checkIndex(index, count);
  }
}
