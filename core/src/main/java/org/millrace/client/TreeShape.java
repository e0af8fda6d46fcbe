package org.millrace.client;

import java.util.ArrayList;
import java.util.List;

/**
 * The tree through which the ranks of a group send requests to the coordinator, which is its root.
 * The ranks below a place are consecutive: from its own to before {@code end}.
 *
 * <pre>
 *   ranks 0-8, at most 2 below each:      coordinator
 *                                        /           \
 *                                  0 [0-3]            4 [4-8]
 *                                  /     \            /      \
 *                               1 [1]   2 [2-3]    5 [5-6]   7 [7-8]
 *                                          |          |         |
 *                                       3 [3]      6 [6]     8 [8]
 * </pre>
 *
 * <p>All ranks of a group compute the same. Immutable.
 *
 * @param rank whose place it is
 * @param parent the rank above, or {@link #COORDINATOR}
 * @param end one beyond the last rank at or below this place
 * @param children the ranks right below, ascending
 */
record TreeShape(int rank, int parent, int end, List<Integer> children) {

  /** In place of a parent: the ranks at the top come to the coordinator. */
  static final int COORDINATOR = -1;

  /** The place of a rank in a group of {@code size}, with at most {@code fanOut} below each. */
  static TreeShape of(int rank, int size, int fanOut) {
    int from = 0;
    int to = size;
    int above = COORDINATOR;
    while (true) {
      int parts = Math.min(fanOut, to - from);
      int part = partOf(rank, from, to, parts);
      int head = start(part, from, to, parts);
      int end = start(part + 1, from, to, parts);
      if (head == rank) {
        return new TreeShape(rank, above, end, heads(rank + 1, end, fanOut));
      }
      above = head;
      from = head + 1;
      to = end;
    }
  }

  private static List<Integer> heads(int from, int to, int fanOut) {
    int parts = Math.min(fanOut, to - from);
    List<Integer> heads = new ArrayList<>(parts);
    for (int part = 0; part < parts; part++) {
      heads.add(start(part, from, to, parts));
    }
    return List.copyOf(heads);
  }

  /** Where a part of a range begins; parts differ by one rank at most. */
  private static int start(int part, int from, int to, int parts) {
    return from + (int) ((long) (to - from) * part / parts);
  }

  private static int partOf(int rank, int from, int to, int parts) {
    int part = (int) ((long) (rank - from) * parts / (to - from));
    while (start(part + 1, from, to, parts) <= rank) {
      part++;
    }
    return part;
  }

  /** Whether this rank comes to the coordinator for nobody but itself. */
  boolean isAlone() {
    return parent == COORDINATOR && children.isEmpty();
  }
}
