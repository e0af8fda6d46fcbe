package org.millrace.access;

import java.util.Arrays;
import java.util.List;

/** Patterns one after the other, each at its displacement. Children may be shared. Immutable. */
public final class Sequence extends PatternNode {

  // Constant after construction.
  final PatternNode[] nodes;
  final long[] displacements;

  /** Where each child's positions start; one more entry than children, the last is the size. */
  final long[] starts;

  private final int hash;

  Sequence(List<Placed> children) {
    this(nodes(children), children.stream().mapToLong(Placed::displacement).toArray());
  }

  private Sequence(PatternNode[] nodes, long[] displacements) {
    this(nodes, displacements, starts(nodes));
  }

  private Sequence(PatternNode[] nodes, long[] displacements, long[] starts) {
    super(
        starts[nodes.length],
        lowest(nodes, displacements),
        highest(nodes, displacements),
        Arrays.stream(nodes).mapToLong(node -> node.runCount).sum(),
        1 + Arrays.stream(nodes).mapToInt(node -> node.depth).max().orElseThrow(),
        ascends(nodes, displacements));
    this.nodes = nodes;
    this.displacements = displacements;
    this.starts = starts;
    this.hash = Arrays.hashCode(nodes) * 31 + Arrays.hashCode(displacements);
  }

  private static PatternNode[] nodes(List<Placed> children) {
    return children.stream()
        .map(child -> (PatternNode) child.pattern())
        .toArray(PatternNode[]::new);
  }

  private static long[] starts(PatternNode[] nodes) {
    long[] starts = new long[nodes.length + 1];
    for (int i = 0; i < nodes.length; i++) {
      starts[i + 1] = Math.addExact(starts[i], nodes[i].size);
    }
    return starts;
  }

  private static long lowest(PatternNode[] nodes, long[] displacements) {
    long lowest = Long.MAX_VALUE;
    for (int i = 0; i < nodes.length; i++) {
      lowest = Math.min(lowest, Math.addExact(displacements[i], nodes[i].first));
    }
    return lowest;
  }

  private static long highest(PatternNode[] nodes, long[] displacements) {
    long highest = Long.MIN_VALUE;
    for (int i = 0; i < nodes.length; i++) {
      highest = Math.max(highest, Math.addExact(displacements[i], nodes[i].end));
    }
    return highest;
  }

  private static boolean ascends(PatternNode[] nodes, long[] displacements) {
    for (int i = 0; i < nodes.length; i++) {
      if (!nodes[i].ascending
          || (i > 0
              && displacements[i - 1] + nodes[i - 1].end > displacements[i] + nodes[i].first)) {
        return false;
      }
    }
    return true;
  }

  /** The children in order. */
  public List<Placed> children() {
    Placed[] children = new Placed[nodes.length];
    for (int i = 0; i < nodes.length; i++) {
      children[i] = new Placed(displacements[i], nodes[i]);
    }
    return List.of(children);
  }

  /** The child that holds a position. */
  int childAt(long position) {
    return Search.last(starts, nodes.length, position);
  }

  /** Of an ascending sequence: the first child that ends above the offset, or their number. */
  int childAbove(long offset) {
    int low = 0;
    int high = nodes.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (displacements[middle] + nodes[middle].end > offset) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  @Override
  long at(long position) {
    int child = childAt(position);
    return displacements[child] + nodes[child].at(position - starts[child]);
  }

  @Override
  long below(long offset) {
    int child = childAbove(offset);
    if (child == nodes.length) {
      return size;
    }
    long inside = offset - displacements[child];
    return starts[child] + (inside <= nodes[child].first ? 0 : nodes[child].below(inside));
  }

  @Override
  long low(long from, long to) {
    long result = Long.MAX_VALUE;
    for (int i = childAt(from); i < nodes.length && starts[i] < to; i++) {
      long fromInside = Math.max(0, from - starts[i]);
      long toInside = Math.min(nodes[i].size, to - starts[i]);
      boolean whole = toInside - fromInside == nodes[i].size;
      long low = whole ? nodes[i].first : nodes[i].low(fromInside, toInside);
      result = Math.min(result, displacements[i] + low);
    }
    return result;
  }

  @Override
  long high(long from, long to) {
    long result = Long.MIN_VALUE;
    for (int i = childAt(from); i < nodes.length && starts[i] < to; i++) {
      long fromInside = Math.max(0, from - starts[i]);
      long toInside = Math.min(nodes[i].size, to - starts[i]);
      boolean whole = toInside - fromInside == nodes[i].size;
      long high = whole ? nodes[i].end : nodes[i].high(fromInside, toInside);
      result = Math.max(result, displacements[i] + high);
    }
    return result;
  }

  @Override
  public boolean isClearlyDisjoint() {
    long[] from = new long[nodes.length];
    long[] to = new long[nodes.length];
    for (int i = 0; i < nodes.length; i++) {
      if (!nodes[i].ascending && !nodes[i].isClearlyDisjoint()) {
        return false;
      }
      from[i] = displacements[i] + nodes[i].first;
      to[i] = displacements[i] + nodes[i].end;
    }
    return Disjoint.intervals(from, to);
  }

  @Override
  public boolean equals(Object other) {
    return this == other || (other instanceof Sequence that && new Equality().test(this, that));
  }

  boolean isPlacedAs(Sequence that) {
    return Arrays.equals(displacements, that.displacements);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    // Not the children: shared ones would print exponentially often.
    return nodes.length == 1
        ? displacements[0] + "+" + nodes[0]
        : "sequence("
            + nodes.length
            + " patterns, "
            + size
            + " bytes in ["
            + first
            + ","
            + end
            + "))";
  }
}
