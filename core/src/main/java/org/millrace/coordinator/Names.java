package org.millrace.coordinator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.millrace.disk.NodeMemory;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Copies;
import org.millrace.layout.CopySet;
import org.millrace.layout.Layout;
import org.millrace.protocol.NodeUse;

/**
 * The tree of directories and files: pure state, changed only by {@link #apply}, which returns the
 * change that undoes it. The same changes in the same order give the same tree.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class Names {

  static final long ROOT = 0;

  /** Nodes that were away for more of the coordinator's lives must trust the numbers alone. */
  private static final int MAX_LIVES = 32;

  // constant after construction
  private final NameEntry root;

  // guarded by the coordinator's lock
  private final Map<Long, NameEntry> byId = new HashMap<>();
  private final Map<Long, Layout> gone = new TreeMap<>(); // removed files of which strands may be
  private final Map<Integer, Long> nodeEpochs = new TreeMap<>();
  private final Map<Long, CopiedFile> copied = new TreeMap<>(); // files and removed ones
  private final Map<Long, CopiedFile> incomplete = new TreeMap<>(); // of these, with a copy missing
  private final Map<Integer, Long> nodeSince = new TreeMap<>();
  private final Map<Integer, Long> nodeLost = new TreeMap<>();
  private final TreeMap<Integer, NodeUse> uses = new TreeMap<>(); // of nodes that were changed
  private final Answers answers = new Answers();
  private long copyEpoch; // the highest of all
  private long nextId = ROOT + 1;
  private NameChange.Life life = NameChange.Life.NONE; // of the coordinator
  private final TreeMap<Long, Long> marks = new TreeMap<>(); // of the last lives, by number

  Names(String superuser, int rootPermissions) {
    root = new NameEntry(ROOT, superuser, "", rootPermissions, 0, Optional.empty());
    byId.put(ROOT, root);
  }

  NameEntry root() {
    return root;
  }

  /** The id that the next file or directory gets. */
  long nextId() {
    return nextId;
  }

  /** The coordinator's last life; 0, which has ended, if it has none. */
  NameChange.Life life() {
    return life;
  }

  /** The last lives, the present one first. */
  List<NodeMemory.Run> runs() {
    return marks.descendingMap().entrySet().stream()
        .map(one -> new NodeMemory.Run(one.getKey(), one.getValue()))
        .toList();
  }

  private void begin(NameChange.Life next) {
    life = next;
    marks.tailMap(next.number(), false).clear();
    if (next.number() > 0) {
      marks.put(next.number(), next.mark());
    }
    if (marks.size() > MAX_LIVES) {
      marks.pollFirstEntry();
    }
  }

  /** What askers may not have heard of changes. */
  Answers answers() {
    return answers;
  }

  /** How often a node was started, as far as is known. */
  long nodeEpoch(int node) {
    return nodeEpochs.getOrDefault(node, 0L);
  }

  /** The highest epoch of any set of copies so far. */
  long copyEpoch() {
    return copyEpoch;
  }

  /** When strands of a node were last given to others; 0 if they never were. */
  long lostEpoch(int node) {
    return nodeLost.getOrDefault(node, 0L);
  }

  /** What a node is for. */
  NodeUse use(int node) {
    return uses.getOrDefault(node, NodeUse.USED);
  }

  /** How many nodes there are at least: one more than the highest number that was changed. */
  int leastNodes() {
    return uses.isEmpty() ? 0 : uses.lastKey() + 1;
  }

  /** On which nodes a strand of a file with copies is; empty if there is none such. */
  Optional<CopySet> copies(long file, int strand) {
    NameEntry entry = byId.get(file);
    CopiedFile of = copied.get(file);
    if (entry == null || of == null || strand >= entry.layout.orElseThrow().strands()) {
      return Optional.empty();
    }
    CopySet set = of.of(strand, entry.layout.orElseThrow());
    return Optional.of(set.at(Math.max(set.epoch(), nodeSince.getOrDefault(set.owner(), 0L))));
  }

  /** All nodes that may have something of a strand. */
  List<Integer> holders(long file, int strand, Layout dealt) {
    CopiedFile of = copied.get(file);
    return of == null ? List.of(dealt.node(strand)) : of.of(strand, dealt).all();
  }

  /** Files of which copies are missing. */
  Collection<CopiedFile> incompleteFiles() {
    return Collections.unmodifiableCollection(incomplete.values());
  }

  private void notice(CopiedFile of) {
    if (of.missing() > 0) {
      incomplete.put(of.id, of);
    } else {
      incomplete.remove(of.id);
    }
  }

  /** Whether a node owns a strand that another one, which is not down, could take over. */
  boolean couldBeTakenOver(int node, List<Integer> down) {
    return copied.values().stream().anyMatch(of -> !taken(of, node, down, 0).isEmpty());
  }

  /** The new sets of a file's strands that a lost node owns, by strand. */
  private Map<Integer, CopySet> taken(CopiedFile of, int lost, List<Integer> down, long epoch) {
    NameEntry entry = byId.get(of.id);
    Map<Integer, CopySet> sets = new TreeMap<>();
    for (int s = 0; entry != null && s < entry.layout.orElseThrow().strands(); s++) {
      CopySet set = of.of(s, entry.layout.orElseThrow());
      if (set.owner() == lost) {
        int strand = s;
        set.others().stream()
            .filter(node -> !down.contains(node))
            .findFirst()
            .ifPresent(
                next -> sets.put(strand, set.without(List.of(lost), epoch).ownedBy(next, epoch)));
      }
    }
    return sets;
  }

  Optional<NameEntry> byId(long id) {
    return Optional.ofNullable(byId.get(id));
  }

  /** Layouts of removed files of which nodes may have strands still, by id. */
  Map<Long, Layout> gone() {
    return Collections.unmodifiableMap(gone);
  }

  /** All files, ordered by id. */
  List<NameEntry> files() {
    return byId.values().stream()
        .filter(e -> !e.isDirectory())
        .sorted((a, b) -> Long.compare(a.id, b.id))
        .toList();
  }

  /**
   * Makes a change and returns the one that undoes it (ids excepted: they are never given twice).
   *
   * @throws MillraceException CORRUPT if the change does not fit the tree: a change that was
   *     checked always fits
   */
  NameChange apply(NameChange change) throws MillraceException {
    return switch (change) {
      case NameChange.Begin c -> apply(c);
      case NameChange.MakeDirectory c -> apply(c);
      case NameChange.CreateFile c -> apply(c);
      case NameChange.Confirm c -> apply(c);
      case NameChange.Rename c -> rename(c);
      case NameChange.Remove c -> remove(c);
      case NameChange.SetPermissions c -> apply(c);
      case NameChange.SetGroup c -> apply(c);
      case NameChange.Gone c -> apply(c);
      case NameChange.Life c -> apply(c);
      case NameChange.Together c -> together(c);
      case NameChange.NodeEpoch c -> apply(c);
      case NameChange.Forget c -> apply(c);
      case NameChange.Copied c -> copied(c);
      case NameChange.StrandCopies c -> apply(c);
      case NameChange.DirectoryCopies c -> apply(c);
      case NameChange.NodeSince c -> apply(c);
      case NameChange.NodeLostAt c -> apply(c);
      case NameChange.NodeLost c -> lost(c);
      case NameChange.NodeState c -> apply(c);
      case NameChange.StrandsLost c -> apply(c);
      case NameChange.NodeReplaced c -> replaced(c);
      case NameChange.StrandMoved c -> apply(c);
      case NameChange.Answered c -> answers.apply(c);
      case NameChange.Heard c -> answers.apply(c);
    };
  }

  private NameChange apply(NameChange.Begin c) {
    nextId = Math.max(nextId, c.nextId());
    return new NameChange.Begin(nextId);
  }

  private NameChange apply(NameChange.MakeDirectory c) throws MillraceException {
    NameEntry made =
        new NameEntry(
            c.id(), c.owner(), c.group(), c.permissions(), c.createdMillis(), Optional.empty());
    add(made, c.parent(), c.name(), c);
    return new NameChange.Remove(c.id());
  }

  private NameChange apply(NameChange.CreateFile c) throws MillraceException {
    NameEntry made =
        new NameEntry(
            c.id(),
            c.owner(),
            c.group(),
            c.permissions(),
            c.createdMillis(),
            Optional.of(c.layout()));
    made.confirmed = c.confirmed();
    made.copied = copied.get(c.id());
    add(made, c.parent(), c.name(), c);
    return new NameChange.Remove(c.id());
  }

  private NameChange apply(NameChange.Confirm c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    boolean before = entry.confirmed;
    entry.confirmed = c.confirmed();
    return new NameChange.Confirm(c.id(), before);
  }

  private NameChange apply(NameChange.SetPermissions c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    int before = entry.permissions;
    entry.permissions = c.permissions();
    return new NameChange.SetPermissions(c.id(), before);
  }

  private NameChange apply(NameChange.SetGroup c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    String before = entry.group;
    entry.group = c.group();
    return new NameChange.SetGroup(c.id(), before);
  }

  private NameChange apply(NameChange.Gone c) throws MillraceException {
    if (c.id() <= ROOT || byId.containsKey(c.id()) || gone.containsKey(c.id())) {
      throw inconsistent(c, "the id is taken");
    }
    gone.put(c.id(), c.layout());
    nextId = Math.max(nextId, Copies.numberOf(c.id()) + 1);
    return new NameChange.Forget(c.id());
  }

  private NameChange apply(NameChange.Life c) throws MillraceException {
    NameChange.Life before = life;
    begin(c);
    return before;
  }

  private NameChange apply(NameChange.NodeEpoch c) {
    NameChange undo = new NameChange.NodeEpoch(c.node(), nodeEpoch(c.node()));
    nodeEpochs.put(c.node(), c.epoch());
    return undo;
  }

  private NameChange apply(NameChange.Forget c) throws MillraceException {
    Layout layout = gone.remove(c.id());
    if (layout == null) {
      throw inconsistent(c, c.id() + " is not gone");
    }
    List<NameChange> undo = new ArrayList<>(copyChanges(c.id()));
    undo.add(new NameChange.Gone(c.id(), layout));
    copied.remove(c.id());
    incomplete.remove(c.id());
    return new NameChange.Together(undo);
  }

  private NameChange apply(NameChange.StrandCopies c) throws MillraceException {
    CopiedFile of = copied.get(c.id());
    if (of == null) {
      throw inconsistent(c, "the file has no copies");
    }
    copyEpoch = Math.max(copyEpoch, c.set().epoch());
    CopySet before = of.changed.put(c.strand(), c.set());
    NameEntry entry = byId.get(c.id());
    Layout dealt = entry == null ? gone.get(c.id()) : entry.layout.orElseThrow();
    if (before == null && dealt != null) {
      of.changed.remove(c.strand());
      before = of.of(c.strand(), dealt);
      of.changed.put(c.strand(), c.set());
    }
    notice(of);
    return new NameChange.StrandCopies(c.id(), c.strand(), before == null ? c.set() : before);
  }

  private NameChange apply(NameChange.DirectoryCopies c) throws MillraceException {
    NameEntry directory = requireDirectory(c.id(), c);
    int before = directory.copies;
    directory.copies = c.copies();
    return new NameChange.DirectoryCopies(c.id(), before);
  }

  private NameChange apply(NameChange.NodeSince c) {
    NameChange undo = new NameChange.NodeSince(c.node(), nodeSince.getOrDefault(c.node(), 0L));
    nodeSince.put(c.node(), c.epoch());
    copyEpoch = Math.max(copyEpoch, c.epoch());
    return undo;
  }

  private NameChange apply(NameChange.NodeLostAt c) {
    NameChange undo = new NameChange.NodeLostAt(c.node(), lostEpoch(c.node()));
    nodeLost.put(c.node(), c.epoch());
    copyEpoch = Math.max(copyEpoch, c.epoch());
    return undo;
  }

  private NameChange apply(NameChange.NodeState c) {
    NameChange undo = new NameChange.NodeState(c.node(), use(c.node()));
    uses.put(c.node(), c.use());
    return undo;
  }

  private NameChange apply(NameChange.StrandsLost c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    NameChange undo = new NameChange.StrandsLost(c.id(), List.copyOf(entry.lost));
    entry.lost.clear();
    entry.lost.addAll(c.strands());
    return undo;
  }

  private NameChange apply(NameChange.StrandMoved c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    if (entry.isDirectory() || c.strand() >= entry.layout.orElseThrow().strands()) {
      throw inconsistent(c, "there is no such strand");
    }
    int before = entry.layout.orElseThrow().node(c.strand());
    entry.move(c.strand(), c.node());
    return new NameChange.StrandMoved(c.id(), c.strand(), before);
  }

  private NameChange copied(NameChange.Copied c) {
    CopiedFile before = copied.get(c.id());
    CopiedFile after =
        c.copies() == 0 ? null : new CopiedFile(c.id(), c.copies(), c.spread(), c.epoch());
    incomplete.remove(c.id()); // all are in sync as they are dealt
    if (after == null) {
      copied.remove(c.id());
    } else {
      copied.put(c.id(), after);
    }
    NameEntry entry = byId.get(c.id());
    if (entry != null) {
      entry.copied = after;
    }
    copyEpoch = Math.max(copyEpoch, c.epoch());
    return before == null
        ? new NameChange.Copied(c.id(), 0, 0, 0)
        : new NameChange.Copied(c.id(), before.copies, before.spread, before.epoch);
  }

  /** The same for all files in one change, however many they are. */
  private NameChange lost(NameChange.NodeLost c) throws MillraceException {
    List<NameChange> undo = new ArrayList<>();
    for (CopiedFile of : copied.values()) {
      for (Map.Entry<Integer, CopySet> one : taken(of, c.node(), c.down(), c.epoch()).entrySet()) {
        undo.add(apply(new NameChange.StrandCopies(of.id, one.getKey(), one.getValue())));
      }
    }
    undo.add(apply(new NameChange.NodeLostAt(c.node(), c.epoch())));
    return new NameChange.Together(undo);
  }

  /** The same for all files in one change, however many they are. */
  private NameChange replaced(NameChange.NodeReplaced c) throws MillraceException {
    List<NameChange> undo = new ArrayList<>();
    for (NameEntry entry : files()) {
      Layout layout = entry.layout.orElseThrow();
      TreeSet<Integer> lost = new TreeSet<>(entry.lost);
      for (int s = 0; s < layout.strands(); s++) {
        CopiedFile of = entry.copied;
        if (of == null && layout.node(s) == c.node()) {
          lost.add(s);
        } else if (of != null) {
          CopySet set = of.of(s, layout);
          if (set.inSync().equals(List.of(c.node()))) {
            lost.add(s);
          } else if (set.inSync().contains(c.node())) {
            CopySet left = set.without(List.of(c.node()), c.epoch());
            undo.addFirst(apply(new NameChange.StrandCopies(entry.id, s, left)));
          }
        }
      }
      if (!lost.equals(entry.lost)) {
        undo.addFirst(apply(new NameChange.StrandsLost(entry.id, List.copyOf(lost))));
      }
    }
    undo.addFirst(apply(new NameChange.NodeLostAt(c.node(), c.epoch())));
    undo.addFirst(apply(new NameChange.NodeState(c.node(), NodeUse.REPLACED)));
    return new NameChange.Together(undo);
  }

  private List<NameChange> copyChanges(long id) {
    CopiedFile of = copied.get(id);
    List<NameChange> changes = new ArrayList<>();
    if (of != null) {
      changes.add(new NameChange.Copied(id, of.copies, of.spread, of.epoch));
      of.changed.forEach(
          (strand, set) -> changes.add(new NameChange.StrandCopies(id, strand, set)));
    }
    return changes;
  }

  private NameChange together(NameChange.Together c) throws MillraceException {
    List<NameChange> undo = new ArrayList<>();
    try {
      for (NameChange one : c.changes()) {
        undo.addFirst(apply(one));
      }
    } catch (MillraceException e) {
      for (NameChange one : undo) {
        apply(one);
      }
      throw e;
    }
    return new NameChange.Together(undo);
  }

  /** Changes that make this tree from an empty one. */
  List<NameChange> asChanges() {
    List<NameChange> changes = new ArrayList<>(byId.size() + 1);
    changes.add(new NameChange.Begin(nextId));
    nodeEpochs.forEach((node, epoch) -> changes.add(new NameChange.NodeEpoch(node, epoch)));
    nodeSince.forEach((node, epoch) -> changes.add(new NameChange.NodeSince(node, epoch)));
    nodeLost.forEach((node, epoch) -> changes.add(new NameChange.NodeLostAt(node, epoch)));
    uses.forEach((node, use) -> changes.add(new NameChange.NodeState(node, use)));
    changes.add(new NameChange.SetPermissions(ROOT, root.permissions));
    if (root.copies > 0) {
      changes.add(new NameChange.DirectoryCopies(ROOT, root.copies));
    }
    if (!root.group.isEmpty()) {
      changes.add(new NameChange.SetGroup(ROOT, root.group));
    }
    marks
        .headMap(life.number())
        .forEach((number, mark) -> changes.add(new NameChange.Life(number, mark, true)));
    if (life.number() > 0) {
      changes.add(life);
    }
    gone.forEach((id, layout) -> changes.add(new NameChange.Gone(id, layout)));
    Deque<NameEntry> directories = new ArrayDeque<>(List.of(root));
    while (!directories.isEmpty()) {
      for (NameEntry child : directories.remove().children.values()) {
        changes.add(asChange(child));
        if (child.isDirectory()) {
          if (child.copies > 0) {
            changes.add(new NameChange.DirectoryCopies(child.id, child.copies));
          }
          directories.add(child);
        }
      }
    }
    copied.keySet().forEach(id -> changes.addAll(copyChanges(id)));
    for (NameEntry file : files()) {
      if (!file.lost.isEmpty()) {
        changes.add(new NameChange.StrandsLost(file.id, List.copyOf(file.lost)));
      }
    }
    changes.addAll(answers.asChanges());
    return changes;
  }

  private static NameChange asChange(NameEntry e) {
    return e.layout
        .<NameChange>map(
            layout ->
                new NameChange.CreateFile(
                    e.id,
                    e.parent.id,
                    e.name,
                    e.owner,
                    e.group,
                    e.permissions,
                    e.createdMillis,
                    e.confirmed,
                    layout))
        .orElseGet(
            () ->
                new NameChange.MakeDirectory(
                    e.id, e.parent.id, e.name, e.owner, e.group, e.permissions, e.createdMillis));
  }

  private NameChange rename(NameChange.Rename c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    if (entry.isRoot() || entry.isAbove(requireDirectory(c.parent(), c))) {
      throw inconsistent(c, "the entry would lie below itself");
    }
    NameChange undo = new NameChange.Rename(entry.id, entry.parent.id, entry.name);
    entry.parent.children.remove(entry.name);
    try {
      place(entry, c.parent(), c.name(), c);
    } catch (MillraceException e) {
      entry.parent.children.put(entry.name, entry);
      throw e;
    }
    return undo;
  }

  private NameChange remove(NameChange.Remove c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    if (entry.isRoot() || !entry.children.isEmpty()) {
      throw inconsistent(c, "it is the root or not empty");
    }
    entry.parent.children.remove(entry.name);
    byId.remove(entry.id);
    List<NameChange> again = new ArrayList<>(List.of(asChange(entry)));
    if (entry.copies > 0) {
      again.add(new NameChange.DirectoryCopies(entry.id, entry.copies));
    }
    if (!entry.lost.isEmpty()) {
      again.add(new NameChange.StrandsLost(entry.id, List.copyOf(entry.lost)));
    }
    return again.size() == 1 ? again.getFirst() : new NameChange.Together(again);
  }

  private void add(NameEntry made, long parent, String name, NameChange change)
      throws MillraceException {
    if (made.id <= ROOT || byId.containsKey(made.id)) {
      throw inconsistent(change, "the id is taken");
    }
    place(made, parent, name, change);
    byId.put(made.id, made);
    nextId = Math.max(nextId, Copies.numberOf(made.id) + 1);
  }

  private void place(NameEntry entry, long parent, String name, NameChange change)
      throws MillraceException {
    NameEntry directory = requireDirectory(parent, change);
    if (directory.children.putIfAbsent(name, entry) != null) {
      throw inconsistent(change, "the name is taken");
    }
    entry.parent = directory;
    entry.name = name;
  }

  private NameEntry requireDirectory(long id, NameChange change) throws MillraceException {
    NameEntry directory = require(id, change);
    if (!directory.isDirectory()) {
      throw inconsistent(change, id + " is not a directory");
    }
    return directory;
  }

  private NameEntry require(long id, NameChange change) throws MillraceException {
    NameEntry entry = byId.get(id);
    if (entry == null) {
      throw inconsistent(change, "there is no " + id);
    }
    return entry;
  }

  private static MillraceException inconsistent(NameChange change, String reason) {
    return MillraceException.of(
        ErrorCode.CORRUPT, "journal: " + change + " does not fit: " + reason);
  }
}
