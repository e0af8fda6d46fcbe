package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.millrace.layout.Copies;
import org.millrace.layout.CopySet;
import org.millrace.layout.Layout;

/**
 * The copies of a file's strands. Most strands are where they were dealt, all in sync; only for the
 * others a set is kept. Owned by its {@link Names}; guarded by the coordinator's lock.
 */
final class CopiedFile {

  // constant after construction
  final long id;
  final int copies;
  final int spread; // over how many nodes they were dealt
  final long epoch; // of the sets as they were dealt

  // guarded by the coordinator's lock
  final TreeMap<Integer, CopySet> changed = new TreeMap<>();

  CopiedFile(long id, int copies, int spread, long epoch) {
    this.id = id;
    this.copies = copies;
    this.spread = spread;
    this.epoch = epoch;
  }

  /** The set of a strand; its epoch does not count starts of the owner. */
  CopySet of(int strand, Layout dealt) {
    CopySet set = changed.get(strand);
    return set != null
        ? set
        : new CopySet(
            epoch, Copies.nodes(id, strand, dealt.node(strand), copies, spread), List.of());
  }

  /** The layout with the nodes that own the strands now. */
  Layout owners(Layout dealt) {
    if (changed.isEmpty()) {
      return dealt;
    }
    List<Integer> nodes = new ArrayList<>(dealt.nodes());
    changed.forEach((strand, set) -> nodes.set(strand, set.owner()));
    return new Layout(dealt.stripeUnitBytes(), dealt.blockBytes(), nodes);
  }

  /** How many copies, in sync or missing, the strand has that has fewest. */
  int least() {
    return changed.values().stream().mapToInt(set -> set.all().size()).min().orElse(copies);
  }

  /** How many copies are not in sync. */
  int missing() {
    return changed.values().stream().mapToInt(set -> set.missing().size()).sum();
  }
}
