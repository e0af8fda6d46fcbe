package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.millrace.error.MillraceException;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;
import org.millrace.protocol.StrandId;

/**
 * Strands of files whose names are durably removed, until their nodes have removed the strands. A
 * superuser's process that removes a file also removes its strands, if it lives long enough; for
 * other users the nodes do it. The files are in the journal, so that they survive the coordinator.
 * Which of their nodes have answered is not stored: those nodes are asked again.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class Removals {

  /** How many strands a node is sent at a time. */
  static final int MAX_AT_A_TIME = 1024;

  // constant after construction
  private final Names names;
  private final Journal journal;

  // guarded by the coordinator's lock
  private final Map<Integer, Set<StrandId>> byNode = new HashMap<>();
  private final TreeMap<Long, Integer> strandsLeft = new TreeMap<>(); // by file

  Removals(Names names, Journal journal) {
    this.names = names;
    this.journal = journal;
  }

  /** Takes over what the journal holds. */
  void recover() {
    names.gone().forEach(this::add);
  }

  /** Changes that take a file away, with all its names; its strands are to go. */
  static List<NameChange> ofFile(NameEntry entry, long at) {
    List<NameChange> changes = Names.removal(entry, at);
    entry.layout.ifPresent(layout -> changes.add(new NameChange.Gone(entry.id, layout)));
    return changes;
  }

  /** Takes away an entry with all its names; when that is durable its strands are to go. */
  void remove(NameEntry entry, long at) {
    write(ofFile(entry, at), entry);
  }

  /**
   * Takes a name away, and makes other changes in the same step. What it stood for goes, too, if
   * that was its last name; unless it is kept because it is in use.
   *
   * @return whether it goes
   */
  boolean unlink(NameEntry.Place place, boolean keep, long at, List<NameChange> then) {
    NameEntry entry = at(place);
    List<NameChange> changes = ofName(place, keep, at);
    changes.addAll(then);
    if (keep || !entry.more.isEmpty()) {
      journal.write(new NameChange.Together(changes));
      return false;
    }
    write(changes, entry);
    return true;
  }

  /** Changes that take a name away, and what it stood for if that goes, too. */
  static List<NameChange> ofName(NameEntry.Place place, boolean keep, long at) {
    NameEntry entry = at(place);
    return keep || !entry.more.isEmpty()
        ? new ArrayList<>(List.of(new NameChange.Unlink(place.parent().id, place.name(), at)))
        : ofFile(entry, at);
  }

  private static NameEntry at(NameEntry.Place place) {
    return NameRules.child(place.parent(), place.name()).orElseThrow();
  }

  private void write(List<NameChange> changes, NameEntry gone) {
    journal.write(new NameChange.Together(changes));
    if (gone.layout.isEmpty()) {
      return;
    }
    journal.whenDurable(
        new CommitCallback() {
          @Override
          public void done(DeferredReplies late) {
            add(gone.id, gone.layout.orElseThrow());
          }

          @Override
          public void failed(
              MillraceException error, DeferredReplies late) {} // the name is there again
        },
        new DeferredReplies());
  }

  private void add(long file, Layout layout) {
    int count = 0;
    for (int s = 0; s < layout.strands(); s++) {
      for (int node : names.holders(file, s, layout)) {
        byNode.computeIfAbsent(node, _ -> new LinkedHashSet<>()).add(new StrandId(file, s));
        count++;
      }
    }
    strandsLeft.put(file, count);
  }

  /** What a node is to remove, the longest gone first. */
  List<StrandId> of(int node) {
    return byNode.getOrDefault(node, Set.of()).stream().limit(MAX_AT_A_TIME).toList();
  }

  /** A node has removed strands, or never had them. */
  void removed(int node, List<StrandId> strands) {
    Set<StrandId> all = byNode.get(node);
    if (all == null) {
      return;
    }
    for (StrandId strand : strands) {
      if (all.remove(strand) && strandsLeft.merge(strand.file(), -1, Integer::sum) == 0) {
        strandsLeft.remove(strand.file());
        forget(strand.file());
      }
    }
    if (all.isEmpty()) {
      byNode.remove(node);
    }
  }

  /** A node is gone for good, and with it what it should have removed. */
  void forgetNode(int node) {
    removed(node, List.copyOf(byNode.getOrDefault(node, Set.of())));
  }

  /** All files of which strands are left, which are forgotten by this call. */
  List<FileEntry> take() {
    List<FileEntry> taken = new ArrayList<>();
    for (long file : strandsLeft.keySet()) {
      Optional<Layout> layout = Optional.ofNullable(names.gone().get(file));
      if (layout.isPresent()) {
        for (Layout one : holders(file, layout.get())) {
          taken.add(new FileEntry("", file, Optional.of(one), "", "", 0, 0, true, 1, 0));
        }
        forget(file);
      }
    }
    strandsLeft.clear();
    byNode.clear();
    return taken;
  }

  /** For each copy a layout with the nodes of all strands' copies of that number. */
  private List<Layout> holders(long file, Layout layout) {
    List<Layout> all = new ArrayList<>();
    for (int copy = 0; copy < names.holders(file, 0, layout).size(); copy++) {
      List<Integer> nodes = new ArrayList<>();
      for (int s = 0; s < layout.strands(); s++) {
        nodes.add(names.holders(file, s, layout).get(copy));
      }
      all.add(new Layout(layout.stripeUnitBytes(), layout.blockBytes(), nodes));
    }
    return all;
  }

  private void forget(long file) {
    if (names.gone().containsKey(file)) {
      journal.write(new NameChange.Forget(file));
    }
  }
}
