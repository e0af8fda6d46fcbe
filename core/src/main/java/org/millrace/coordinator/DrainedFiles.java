package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.millrace.layout.Layout;
import org.millrace.protocol.NodeUse;

/**
 * The files of which nodes that are drained still hold something, and how many strands each node
 * holds. Both are collected from all names when the use of a node has changed, and kept from then
 * on: so a drained node costs as much as is left on it, and not as much as there are files.
 *
 * <p>A file that has left all drained nodes is dropped when it is looked at. Undone changes can
 * bring one back; {@link #add} puts it in again, for those that see all files anyhow.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class DrainedFiles {

  // constant after construction
  private final NodeRoster roster;
  private final Names names;

  // guarded by the coordinator's lock
  private final TreeSet<Long> files = new TreeSet<>();
  private final TreeMap<Integer, Long> strands = new TreeMap<>(); // by node
  private List<NodeUse> collectedFor = List.of();
  private long visits;

  DrainedFiles(NodeRoster roster, Names names) {
    this.roster = roster;
    this.names = names;
  }

  /**
   * Passes on the files, by ascending ids, until {@code each} says that it has enough.
   *
   * @param each false to go on
   */
  void visit(Predicate<NameEntry> each) {
    List<NodeUse> uses = roster.uses();
    if (!uses.equals(collectedFor)) {
      collect();
      collectedFor = uses;
    }
    List<Long> done = new ArrayList<>();
    for (long id : files) {
      visits++;
      NameEntry file = names.byId(id).orElse(null);
      if (file == null || !isLeft(file)) {
        done.add(id);
      } else if (each.test(file)) {
        break;
      }
    }
    files.removeAll(done);
  }

  private void collect() {
    files.clear();
    strands.clear();
    if (!roster.isDraining()) {
      return;
    }
    for (NameEntry file : names.files()) {
      visits++;
      Layout layout = file.layout.orElseThrow();
      for (int s = 0; s < layout.strands(); s++) {
        names.holders(file.id, s, layout).forEach(node -> count(node, 1));
      }
      if (isLeft(file)) {
        files.add(file.id);
      }
    }
  }

  /** Whether a node that is drained holds something of it, or should. */
  boolean isLeft(NameEntry file) {
    Layout layout = file.layout.orElseThrow();
    for (int s = 0; s < layout.strands(); s++) {
      for (int node : names.holders(file.id, s, layout)) {
        if (roster.use(node) == NodeUse.DRAINING) {
          return true;
        }
      }
    }
    return false;
  }

  /** A file that was seen to be left. */
  void add(NameEntry file) {
    files.add(file.id);
  }

  /** A node has got, or lost, so many strands. */
  void count(int node, long more) {
    strands.merge(node, more, Long::sum);
  }

  /** How many strands each node holds, as far as they were counted. */
  Map<Integer, Long> strands() {
    return new TreeMap<>(strands);
  }

  /** How often a file was looked at so far. */
  long visits() {
    return visits;
  }
}
