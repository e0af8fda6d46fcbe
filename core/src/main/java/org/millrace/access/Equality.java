package org.millrace.access;

import java.util.HashSet;
import java.util.Set;

/**
 * Compares two patterns, and each pair of shared nodes once. Children may be shared, and decoded
 * patterns share none with local ones: plain recursion would compare a graph of a few nodes
 * exponentially often. Owned by one thread, for one comparison.
 */
final class Equality {

  /** Two nodes by identity. */
  private record Pair(Sequence one, Sequence other) {

    @Override
    public boolean equals(Object that) {
      return that instanceof Pair pair && pair.one == one && pair.other == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(one) * 31 + System.identityHashCode(other);
    }
  }

  /** Sequences found equal. The first difference ends everything, so nothing else is kept. */
  private final Set<Pair> equal = new HashSet<>();

  boolean test(PatternNode one, PatternNode other) {
    if (one == other) {
      return true;
    }
    if (one.hashCode() != other.hashCode()) {
      return false;
    }
    return switch (one) {
      case Loop a ->
          other instanceof Loop b
              && a.count == b.count
              && a.stride == b.stride
              && test(a.body, b.body);
      case Sequence a -> other instanceof Sequence b && test(a, b);
      case Run a -> a.equals(other);
      case Indexed a -> a.equals(other);
    };
  }

  private boolean test(Sequence one, Sequence other) {
    if (equal.contains(new Pair(one, other))) {
      return true;
    }
    if (!one.isPlacedAs(other)) {
      return false;
    }
    for (int i = 0; i < one.nodes.length; i++) {
      if (!test(one.nodes[i], other.nodes[i])) {
        return false;
      }
    }
    equal.add(new Pair(one, other));
    return true;
  }
}
