package org.millrace.protocol;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.RandomAccess;

/**
 * A run-length encoded list whose elements are made on access: it takes memory for its runs,
 * however long they are.
 *
 * <p>Immutable; safe for use by several threads.
 */
final class RunLengthList<T> extends AbstractList<T> implements RandomAccess {

  /** Makes the elements of runs. */
  interface Elements<T> {
    T of(int run, int place);
  }

  // constant after construction
  private final int[] ends; // where each run ends in the list
  private final Elements<T> elements;

  /** A list of runs; keeps {@code ends}, which ascend. */
  RunLengthList(int[] ends, Elements<T> elements) {
    this.ends = ends;
    this.elements = elements;
  }

  @Override
  public int size() {
    return ends.length == 0 ? 0 : ends[ends.length - 1];
  }

  @Override
  public T get(int index) {
    if (index < 0 || index >= size()) {
      throw new IndexOutOfBoundsException("element " + index + " of a list of " + size());
    }
    int found = Arrays.binarySearch(ends, index + 1);
    int run = found < 0 ? -found - 1 : found;
    return elements.of(run, index - (run == 0 ? 0 : ends[run - 1]));
  }
}
