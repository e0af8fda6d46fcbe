package org.millrace.layout;

import java.util.ArrayList;
import java.util.List;

/**
 * The nodes that hold a strand. The first of those in sync is its owner: it alone serves the
 * strand, and sends what it writes to the others.
 *
 * <p>Immutable.
 *
 * @param epoch of this set: every later set of the strand has a higher one, and so has every later
 *     life of its owner
 * @param inSync nodes that hold all that was ever acknowledged as durable; never empty
 * @param missing nodes whose copy has missed something, or is lost
 */
public record CopySet(long epoch, List<Integer> inSync, List<Integer> missing) {

  /** Keeps copies of the lists. */
  public CopySet {
    inSync = List.copyOf(inSync);
    missing = List.copyOf(missing);
    if (inSync.isEmpty()) {
      throw new IllegalArgumentException("a set of copies without one in sync");
    }
  }

  /** The node that serves the strand. */
  public int owner() {
    return inSync.getFirst();
  }

  /** The nodes in sync without the owner. */
  public List<Integer> others() {
    return inSync.subList(1, inSync.size());
  }

  /** All nodes that hold, or should hold, a copy. */
  public List<Integer> all() {
    List<Integer> all = new ArrayList<>(inSync);
    all.addAll(missing);
    return all;
  }

  /** The same nodes at another epoch. */
  public CopySet at(long otherEpoch) {
    return new CopySet(otherEpoch, inSync, missing);
  }

  /** Without some that were in sync: they are missing from now on. */
  public CopySet without(List<Integer> gone, long newEpoch) {
    List<Integer> left = new ArrayList<>(inSync);
    List<Integer> lost = new ArrayList<>(missing);
    for (int node : gone) {
      if (left.remove(Integer.valueOf(node))) {
        lost.add(node);
      }
    }
    return new CopySet(newEpoch, left, lost);
  }

  /** With one that was missing. */
  public CopySet with(int node, long newEpoch) {
    List<Integer> more = new ArrayList<>(inSync);
    List<Integer> lost = new ArrayList<>(missing);
    if (lost.remove(Integer.valueOf(node))) {
      more.add(node);
    }
    return new CopySet(newEpoch, more, lost);
  }

  /** With another owner, which is in sync. */
  public CopySet ownedBy(int node, long newEpoch) {
    List<Integer> order = new ArrayList<>(inSync);
    if (!order.remove(Integer.valueOf(node))) {
      throw new IllegalArgumentException("node " + node + " is not in sync: " + this);
    }
    order.addFirst(node);
    return new CopySet(newEpoch, order, missing);
  }
}
