package org.millrace.coordinator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.millrace.disk.NodeMemory;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileKind;
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
  private final String superuser;

  // guarded by the coordinator's lock
  private final Map<Long, NameEntry> byId = new HashMap<>();
  private final TreeMap<Long, NameEntry> orphans = new TreeMap<>(); // without names
  private final Map<Long, Layout> gone = new TreeMap<>(); // removed files of which strands may be
  private final Map<Integer, Long> nodeEpochs = new TreeMap<>();
  private final Map<Long, CopiedFile> copied = new TreeMap<>(); // files and removed ones
  private final Map<Long, CopiedFile> incomplete = new TreeMap<>(); // of these, with a copy missing
  private final Map<Long, CopiedFile> thin = new TreeMap<>(); // of these, with too few
  private final Map<Integer, Long> nodeSince = new TreeMap<>();
  private final Map<Integer, Long> nodeLost = new TreeMap<>();
  private final TreeMap<Integer, NodeUse> uses = new TreeMap<>(); // of nodes that were changed
  private final Answers answers = new Answers();
  private long copyEpoch; // the highest of all
  private long nextId = ROOT + 1;
  private NameChange.Life life = NameChange.Life.NONE; // of the coordinator
  private final TreeMap<Long, Long> marks = new TreeMap<>(); // of the last lives, by number

  Names(String superuser, int rootPermissions) {
    this.superuser = superuser;
    root =
        new NameEntry(
            NameChange.Make.of(
                ROOT,
                FileKind.DIRECTORY,
                superuser,
                "",
                rankBits(rootPermissions, true),
                Stamps.at(0)));
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

  /**
   * Files of which a strand has fewer copies than it should have, missing ones included, and that
   * many nodes could hold one more.
   */
  List<CopiedFile> thinFiles(int nodes) {
    return thin.values().stream().filter(of -> of.least() < nodes).toList();
  }

  private void notice(CopiedFile of) {
    if (of.least() < of.copies) {
      thin.put(of.id, of);
    } else {
      thin.remove(of.id);
    }
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

  /** How many files, directories and other things there are. */
  int count() {
    return byId.size();
  }

  /** What has no name, and is there because it is open, or was when the coordinator ended. */
  List<NameEntry> orphans() {
    return List.copyOf(orphans.values());
  }

  /** All files, those without names, too, ordered by id. */
  List<NameEntry> files() {
    return byId.values().stream()
        .filter(NameEntry::isFile)
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
      case NameChange.Rename c -> apply(c);
      case NameChange.Remove c -> apply(c);
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
      case NameChange.Make c -> apply(c);
      case NameChange.Link c -> apply(c);
      case NameChange.Unlink c -> apply(c);
      case NameChange.Move c -> apply(c);
      case NameChange.Exchange c -> apply(c);
      case NameChange.Drop c -> apply(c);
      case NameChange.SetAttributes c -> apply(c);
      case NameChange.SetExtended c -> apply(c);
    };
  }

  private NameChange apply(NameChange.Begin c) {
    nextId = Math.max(nextId, c.nextId());
    return new NameChange.Begin(nextId);
  }

  private NameChange apply(NameChange.MakeDirectory c) throws MillraceException {
    return make(
        NameChange.Make.of(
            c.id(),
            FileKind.DIRECTORY,
            c.owner(),
            c.group(),
            rankBits(c.permissions(), true),
            Stamps.ofMillis(c.createdMillis())),
        c.parent(),
        c.name());
  }

  private NameChange apply(NameChange.CreateFile c) throws MillraceException {
    NameChange.Make made =
        NameChange.Make.of(
            c.id(),
            FileKind.FILE,
            c.owner(),
            c.group(),
            c.permissions(),
            Stamps.ofMillis(c.createdMillis()));
    return make(made.withLayout(c.layout(), c.confirmed()), c.parent(), c.name());
  }

  private NameChange make(NameChange.Make made, long parent, String name) throws MillraceException {
    return together(
        new NameChange.Together(
            List.of(made, new NameChange.Link(made.id(), parent, name, Stamps.UNTIMED))));
  }

  private NameChange apply(NameChange.Confirm c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    boolean before = entry.confirmed;
    entry.confirmed = c.confirmed();
    return new NameChange.Confirm(c.id(), before);
  }

  private NameChange apply(NameChange.SetPermissions c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    NameChange undo = attributes(entry);
    entry.permissions = rankBits(c.permissions(), entry.isDirectory());
    return undo;
  }

  private NameChange apply(NameChange.SetGroup c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    NameChange undo = attributes(entry);
    entry.group = c.group();
    return undo;
  }

  private NameChange apply(NameChange.SetAttributes c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    NameChange undo = attributes(entry);
    entry.owner = entry.isRoot() && c.owner().isEmpty() ? superuser : c.owner();
    entry.group = c.group();
    entry.permissions = c.permissions();
    entry.stamps = c.stamps();
    return undo;
  }

  private NameChange apply(NameChange.SetExtended c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    List<NameChange> undo = new ArrayList<>();
    undo.add(
        new NameChange.SetExtended(
            c.id(), c.name(), Optional.ofNullable(entry.extended.get(c.name())), Stamps.UNTIMED));
    undo.add(attributes(entry));
    if (c.value().isEmpty()) {
      if (!entry.extended.containsKey(c.name())) {
        throw inconsistent(c, "there is no such attribute");
      }
      entry.extended.remove(c.name());
    } else {
      if (entry.extended.isEmpty()) {
        entry.extended = new TreeMap<>(NameOrder.INSTANCE);
      }
      entry.extended.put(c.name(), c.value().get());
    }
    if (entry.extended.isEmpty()) {
      entry.extended = Collections.emptyNavigableMap();
    }
    entry.stamps = entry.stamps.changed(c.at());
    return new NameChange.Together(undo);
  }

  private NameChange apply(NameChange.Gone c) throws MillraceException {
    if (c.id() <= ROOT || byId.containsKey(c.id()) || gone.containsKey(c.id())) {
      throw inconsistent(c, "the id is taken");
    }
    gone.put(c.id(), c.layout());
    nextId = Math.max(nextId, Copies.numberOf(c.id()) + 1);
    List<NameChange> undo = new ArrayList<>();
    undo.add(new NameChange.Forget(c.id()));
    undo.addAll(copyChanges(c.id())); // which it forgets: the file has them again
    return new NameChange.Together(undo);
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
    thin.remove(c.id());
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
    Layout dealt = entry == null ? gone.get(c.id()) : entry.layout.orElse(null);
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
    if (!entry.isFile() || c.strand() >= entry.layout.orElseThrow().strands()) {
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
    thin.remove(c.id());
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
    long next = nextId;
    try {
      for (NameChange one : c.changes()) {
        undo.addFirst(apply(one));
      }
    } catch (MillraceException e) {
      for (NameChange one : undo) {
        apply(one);
      }
      nextId = next; // nobody was given an id
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
    changes.add(attributes(root));
    changes.addAll(additions(root));
    marks
        .headMap(life.number())
        .forEach((number, mark) -> changes.add(new NameChange.Life(number, mark, true)));
    if (life.number() > 0) {
      changes.add(life);
    }
    gone.forEach((id, layout) -> changes.add(new NameChange.Gone(id, layout)));
    orphans.values().forEach(orphan -> changes.addAll(asChanges(orphan)));
    Set<Long> told = new HashSet<>(); // of those with several names
    Deque<NameEntry> directories = new ArrayDeque<>(List.of(root));
    while (!directories.isEmpty()) {
      NameEntry directory = directories.remove();
      directory.children.forEach(
          (name, child) -> {
            if (child.more.isEmpty() || told.add(child.id)) {
              changes.addAll(asChanges(child));
            }
            changes.add(new NameChange.Link(child.id, directory.id, name, Stamps.UNTIMED));
            if (child.isDirectory()) {
              directories.add(child);
            }
          });
    }
    copied.keySet().forEach(id -> changes.addAll(copyChanges(id)));
    changes.addAll(answers.asChanges());
    return changes;
  }

  /** Attributes as they are. */
  private NameChange.SetAttributes attributes(NameEntry e) {
    String owner = e.isRoot() && e.owner.equals(superuser) ? "" : e.owner;
    return new NameChange.SetAttributes(e.id, owner, e.group, e.permissions, e.stamps);
  }

  /** Changes that make an entry without its names, and without copies of strands. */
  private static List<NameChange> asChanges(NameEntry e) {
    List<NameChange> changes = new ArrayList<>();
    changes.add(
        new NameChange.Make(
            e.id,
            e.kind,
            e.owner,
            e.group,
            e.permissions,
            e.stamps,
            e.confirmed,
            e.layout,
            e.target,
            e.device));
    changes.addAll(additions(e));
    return changes;
  }

  /** What few entries have beside attributes. */
  private static List<NameChange> additions(NameEntry e) {
    List<NameChange> changes = new ArrayList<>();
    if (e.copies > 0) {
      changes.add(new NameChange.DirectoryCopies(e.id, e.copies));
    }
    if (!e.lost.isEmpty()) {
      changes.add(new NameChange.StrandsLost(e.id, List.copyOf(e.lost)));
    }
    e.extended.forEach(
        (name, value) ->
            changes.add(
                new NameChange.SetExtended(e.id, name, Optional.of(value), Stamps.UNTIMED)));
    return changes;
  }

  private NameChange apply(NameChange.Rename c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    if (entry.isRoot() || entry.isOrphan()) {
      throw inconsistent(c, "it has no name");
    }
    return apply(
        new NameChange.Move(entry.parent.id, entry.name, c.parent(), c.name(), Stamps.UNTIMED));
  }

  private NameChange apply(NameChange.Remove c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    if (entry.isRoot()) {
      throw inconsistent(c, "it is the root");
    }
    return together(new NameChange.Together(removal(entry, Stamps.UNTIMED)));
  }

  /** Changes that take away an entry with all its names. */
  static List<NameChange> removal(NameEntry entry, long at) {
    List<NameChange> changes = new ArrayList<>();
    for (NameEntry.Place place : entry.places()) {
      changes.add(new NameChange.Unlink(place.parent().id, place.name(), at));
    }
    changes.add(new NameChange.Drop(entry.id));
    return changes;
  }

  private NameChange apply(NameChange.Make c) throws MillraceException {
    if (c.id() <= ROOT || byId.containsKey(c.id())) {
      throw inconsistent(c, "the id is taken");
    }
    if ((c.kind() == FileKind.FILE) != c.layout().isPresent()) {
      throw inconsistent(c, "files alone have layouts");
    }
    NameEntry made = new NameEntry(c);
    made.copied = copied.get(c.id());
    byId.put(made.id, made);
    orphans.put(made.id, made);
    nextId = Math.max(nextId, Copies.numberOf(made.id) + 1);
    return new NameChange.Drop(c.id());
  }

  private NameChange apply(NameChange.Drop c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    if (!entry.isOrphan() || !entry.children.isEmpty()) {
      throw inconsistent(c, "it has names");
    }
    byId.remove(entry.id);
    orphans.remove(entry.id);
    return new NameChange.Together(asChanges(entry));
  }

  private NameChange apply(NameChange.Link c) throws MillraceException {
    NameEntry entry = require(c.id(), c);
    NameEntry parent = requireDirectory(c.parent(), c);
    if (entry.isRoot()
        || entry.isDirectory() && (!entry.isOrphan() || entry.isAbove(parent))
        || parent.isOrphan()) {
      throw inconsistent(c, "a directory has one name, and not below itself");
    }
    checkFree(parent, c.name(), c);
    List<NameChange> undo =
        List.of(
            attributes(entry),
            new NameChange.Unlink(c.parent(), c.name(), Stamps.UNTIMED),
            attributes(parent));
    place(entry, parent, c.name());
    touch(entry, parent, c.at());
    return new NameChange.Together(undo);
  }

  private NameChange apply(NameChange.Unlink c) throws MillraceException {
    NameEntry parent = requireDirectory(c.parent(), c);
    NameEntry entry = requireChild(parent, c.name(), c);
    List<NameChange> undo =
        List.of(
            new NameChange.Link(entry.id, c.parent(), c.name(), Stamps.UNTIMED),
            attributes(entry),
            attributes(parent));
    unplace(entry, parent, c.name());
    touch(entry, parent, c.at());
    return new NameChange.Together(undo);
  }

  private NameChange apply(NameChange.Move c) throws MillraceException {
    NameEntry from = requireDirectory(c.parent(), c);
    NameEntry entry = requireChild(from, c.name(), c);
    NameEntry to = requireDirectory(c.toParent(), c);
    if (entry.isAbove(to) || to.isOrphan()) {
      throw inconsistent(c, "the entry would lie below itself");
    }
    if (from != to || !c.name().equals(c.toName())) {
      checkFree(to, c.toName(), c);
    }
    List<NameChange> undo =
        List.of(
            new NameChange.Move(c.toParent(), c.toName(), c.parent(), c.name(), Stamps.UNTIMED),
            attributes(entry),
            attributes(from),
            attributes(to));
    unplace(entry, from, c.name());
    place(entry, to, c.toName());
    touch(entry, from, c.at());
    touch(entry, to, c.at());
    return new NameChange.Together(undo);
  }

  private NameChange apply(NameChange.Exchange c) throws MillraceException {
    NameEntry parent = requireDirectory(c.parent(), c);
    NameEntry entry = requireChild(parent, c.name(), c);
    NameEntry otherParent = requireDirectory(c.otherParent(), c);
    NameEntry other = requireChild(otherParent, c.otherName(), c);
    if (entry == other || entry.isAbove(otherParent) || other.isAbove(parent)) {
      throw inconsistent(c, "an entry would lie below itself");
    }
    List<NameChange> undo =
        List.of(
            new NameChange.Exchange(
                c.parent(), c.name(), c.otherParent(), c.otherName(), Stamps.UNTIMED),
            attributes(entry),
            attributes(other),
            attributes(parent),
            attributes(otherParent));
    unplace(entry, parent, c.name());
    unplace(other, otherParent, c.otherName());
    place(other, parent, c.name());
    place(entry, otherParent, c.otherName());
    touch(entry, parent, c.at());
    touch(other, otherParent, c.at());
    return new NameChange.Together(undo);
  }

  private static void touch(NameEntry entry, NameEntry parent, long at) {
    entry.stamps = entry.stamps.changed(at);
    parent.stamps = parent.stamps.namesChanged(at);
  }

  private void place(NameEntry entry, NameEntry parent, String name) {
    parent.children.put(name, entry);
    parent.directories += entry.isDirectory() ? 1 : 0;
    if (entry.isOrphan()) {
      entry.parent = parent;
      entry.name = name;
      orphans.remove(entry.id);
    } else {
      if (entry.more.isEmpty()) {
        entry.more = new ArrayList<>();
      }
      entry.more.add(new NameEntry.Place(parent, name));
    }
  }

  private void unplace(NameEntry entry, NameEntry parent, String name) {
    parent.children.remove(name);
    parent.directories -= entry.isDirectory() ? 1 : 0;
    if (entry.parent != parent || !entry.name.equals(name)) {
      entry.more.remove(new NameEntry.Place(parent, name));
    } else if (entry.more.isEmpty()) {
      entry.parent = entry;
      entry.name = "";
      orphans.put(entry.id, entry);
    } else {
      NameEntry.Place next = entry.more.removeLast();
      entry.parent = next.parent();
      entry.name = next.name();
    }
    if (entry.more.isEmpty()) {
      entry.more = List.of();
    }
  }

  /**
   * Mode bits as ranks give them, who know nine: where everybody may make names only their owners
   * take them away.
   */
  static int rankBits(int permissions, boolean directory) {
    boolean everybodys = directory && (permissions & NameEntry.WRITE) != 0;
    return permissions | (everybodys ? NameEntry.STICKY : 0);
  }

  private static void checkFree(NameEntry directory, String name, NameChange change)
      throws MillraceException {
    if (directory.children.containsKey(name)) {
      throw inconsistent(change, "the name is taken");
    }
  }

  private static NameEntry requireChild(NameEntry directory, String name, NameChange change)
      throws MillraceException {
    NameEntry entry = directory.children.get(name);
    if (entry == null) {
      throw inconsistent(change, "there is no such name");
    }
    return entry;
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
