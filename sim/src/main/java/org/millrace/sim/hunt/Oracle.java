package org.millrace.sim.hunt;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the checkers know of a world: the order of events, the files, the crashes and which faults
 * explain which errors. For threads of the world's environment.
 */
final class Oracle {

  private final Map<Integer, List<Long>> crashes = new TreeMap<>();
  private final Set<Integer> rotten = new TreeSet<>();
  private long ticks;
  private int ids;
  private long opens;

  /** The number of an event that happens now. */
  long tick() {
    return ++ticks;
  }

  int nextId() {
    return ++ids;
  }

  long nextOpen() {
    return ++opens;
  }

  /** A node has lost what it had not made durable. */
  void crashed(int node) {
    crashes.computeIfAbsent(node, _ -> new ArrayList<>()).add(tick());
  }

  List<Long> crashes(int node) {
    return crashes.getOrDefault(node, List.of());
  }

  /** A stored bit of a node has flipped. */
  void rots(int node) {
    rotten.add(node);
  }

  /** Whether a stored bit has ever flipped. */
  boolean isRotten() {
    return !rotten.isEmpty();
  }

  /**
   * Whether a flipped bit of a node may have been taken for a torn write, which is a limit that
   * {@code docs/formats.md} names: blocks that were overwritten before the node's disk lost what
   * was not forced are taken as they are when their strand is opened next, which may be long after.
   */
  boolean mayHideRot(int node) {
    return rotten.contains(node) && !crashes(node).isEmpty();
  }
}
