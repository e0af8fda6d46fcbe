package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;
import org.millrace.layout.Copies;
import org.millrace.layout.CopySet;
import org.millrace.layout.Layout;
import org.millrace.protocol.Effect;
import org.millrace.protocol.OpenFlags;
import org.millrace.protocol.StrandId;

/** Finds or makes the file that a group opens together. Guarded by the coordinator's lock. */
final class FileOpener {

  // constant after construction
  private final Env env;
  private final Names names;
  private final NameRules rules;
  private final Journal journal;
  private final CoordinatorOptions options;
  private final NodeRoster roster;
  private final Transactions transactions;
  private final Opens opens;
  private final long firstId; // of what is made in this life

  FileOpener(
      Env env,
      Names names,
      NameRules rules,
      Journal journal,
      CoordinatorOptions options,
      Transactions transactions,
      Opens opens) {
    this.opens = opens;
    this.firstId = names.nextId();
    this.transactions = transactions;
    this.env = env;
    this.names = names;
    this.rules = rules;
    this.journal = journal;
    this.options = options;
    this.roster = new NodeRoster(options, names);
  }

  /**
   * What an open found.
   *
   * @param entry the file
   * @param created whether this open made it
   */
  record Found(NameEntry entry, boolean created) {}

  /** Whether there is something of a name, seen by all users or not. */
  boolean isThere(String path) {
    try {
      NameEntry at = names.root();
      for (String name : Paths.splitBelowRoot(path)) {
        Optional<NameEntry> next = at.isDirectory() ? NameRules.child(at, name) : Optional.empty();
        if (next.isEmpty()) {
          return false;
        }
        at = next.get();
      }
      return true;
    } catch (MillraceException e) {
      return false; // opening says what is wrong with it
    }
  }

  /**
   * Every user among the ranks must be allowed to open; rank 0's owns what is made.
   *
   * @param call the number of the group's call: its ranks may have made it before, and not been
   *     answered
   */
  Found open(Group group, Effect.Open open, long call) throws MillraceException {
    OpenFlags flags = open.flags();
    checkFlags(flags);
    Optional<NameEntry> before = madeBefore(group, call);
    if (before.isPresent()) {
      return new Found(before.get(), true);
    }
    List<String> path = Paths.splitBelowRoot(open.path());
    Set<User> users = new LinkedHashSet<>();
    group.joinedMembers().forEach(member -> users.add(User.of(member.actor.peer)));
    if (flags.create()) {
      transactions.makeRoomFor(path, journal, env.wallMillis());
    }
    NameEntry parent = names.root();
    for (User user : users) {
      parent = rules.requireParent(user, path, open.path());
    }
    Optional<NameEntry> existing = NameRules.child(parent, path.getLast());
    boolean joins = flags.joins() && joins(group, existing, open);
    for (User user : users) {
      check(user, open, parent, existing, joins);
    }
    if (existing.isPresent()) {
      return new Found(existing.get(), flags.exclusive() && isLeftOver(existing.get()));
    }
    transactions.checkMake(path);
    User owner = User.of(group.joinedMembers().getFirst().actor.peer);
    int copies = copies(parent, flags);
    long id = Copies.idOf(names.nextId(), copies);
    Layout layout = layout(id, flags);
    // a node takes a strand that it does not know for an empty one with blocks of the usual size:
    // only strands with others must be made
    boolean complete = layout.blockBytes() == Layout.DEFAULT_BLOCK_BYTES;
    NameChange.CreateFile made =
        new NameChange.CreateFile(
            id,
            parent.id,
            path.getLast(),
            owner.name(),
            owner.firstGroup(),
            flags.permissions(),
            env.wallMillis(),
            complete,
            layout);
    journal.write(copies == 1 ? made : new NameChange.Together(withCopies(made, layout, copies)));
    return new Found(names.byId(id).orElseThrow(), true);
  }

  /** The copies of a new file: as they are dealt, but not on nodes that are not used. */
  private List<NameChange> withCopies(NameChange.CreateFile made, Layout layout, int copies) {
    long epoch = names.copyEpoch() + 1;
    List<Integer> used = roster.used();
    List<NameChange> changes = new ArrayList<>();
    changes.add(made);
    changes.add(new NameChange.Copied(made.id(), copies, roster.count(), epoch));
    for (int s = 0; s < layout.strands() && used.size() < roster.count(); s++) {
      int owner = used.indexOf(layout.node(s));
      List<Integer> dealt =
          Copies.nodes(made.id(), s, owner, copies, used.size()).stream().map(used::get).toList();
      changes.add(new NameChange.StrandCopies(made.id(), s, new CopySet(epoch, dealt, List.of())));
    }
    return changes;
  }

  /**
   * Whether a file was made before the coordinator was restarted by an open that nobody heard of:
   * its strands were never made. The rank that repeats that open has made it.
   */
  private boolean isLeftOver(NameEntry entry) {
    return !entry.isDirectory()
        && !entry.confirmed
        && Copies.numberOf(entry.id) < firstId
        && opens.of(entry.id).isEmpty();
  }

  /** What a call has made before the coordinator was restarted, whatever it is called now. */
  private Optional<NameEntry> madeBefore(Group group, long call) {
    return names
        .answers()
        .find(Answers.ofGroup(group.id), call)
        .flatMap(
            kept -> kept instanceof KeptAnswer.Value(long id) ? names.byId(id) : Optional.empty());
  }

  /**
   * What a rank of a group of the opener's was allowed to do, the opener is, too; both are the same
   * user's, as all ranks of a group are.
   */
  private boolean joins(Group group, Optional<NameEntry> existing, Effect.Open open)
      throws MillraceException {
    OpenFlags flags = open.flags();
    GroupMember opener = group.joinedMembers().getFirst();
    for (GroupMember place : opener.actor.members) {
      for (GroupMember other : place.group.joinedMembers()) {
        if (!other.hasLeft()
            && existing.isPresent()
            && opens.allow(other.actor, existing.get().id, flags.read(), flags.write())) {
          return true;
        }
      }
    }
    throw new MillraceException(
        ErrorCode.CLOSED, "no rank has " + Paths.show(open.path()) + " open to be joined");
  }

  private void check(
      User user, Effect.Open open, NameEntry parent, Optional<NameEntry> existing, boolean joins)
      throws MillraceException {
    OpenFlags flags = open.flags();
    if (flags.deleteOnClose()) {
      rules.checkAllowed(user, parent, NameEntry.WRITE, "remove from");
    }
    if (existing.isEmpty()) {
      if (!flags.create()) {
        throw new NoSuchNameException("no file " + Paths.show(open.path()));
      }
      rules.checkAllowed(user, parent, NameEntry.WRITE, "make a name in");
      rules.checkRoom(parent);
      return;
    }
    NameEntry entry = existing.get();
    if (flags.create() && flags.exclusive() && !(isLeftOver(entry) && rules.owns(user, entry))) {
      throw new NameExistsException(Paths.show(open.path()) + " exists");
    }
    if (entry.isDirectory()) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND, Paths.show(open.path()) + " is a directory, not a file");
    }
    if (flags.deleteOnClose()) {
      rules.checkMayTake(user, entry, "remove");
    }
    if (joins) {
      return;
    }
    if (flags.read()) {
      rules.checkAllowed(user, entry, NameEntry.READ, "read");
    }
    if (flags.write()) {
      rules.checkAllowed(user, entry, NameEntry.WRITE, "write");
    }
  }

  private static void checkFlags(OpenFlags flags) throws MillraceException {
    NameRules.checkPermissions(flags.permissions());
    if (!flags.read() && !flags.write()) {
      throw refused("neither read nor write is requested");
    }
    if (flags.exclusive() && !flags.create()) {
      throw refused("exclusive without create");
    }
    if ((flags.truncate() || flags.append()) && !flags.write()) {
      throw refused((flags.truncate() ? "truncate" : "append") + " without write");
    }
  }

  /** How many copies a new file gets: what its opener, its directory or the cluster says. */
  private int copies(NameEntry parent, OpenFlags flags) throws MillraceException {
    int used = roster.used().size();
    if (flags.copies() > Math.min(Copies.MAX, used) || flags.copies() < 0) {
      throw refused(
          "%d copies, of which there can be 1 to %d on %d nodes"
              .formatted(flags.copies(), Math.min(Copies.MAX, used), used));
    }
    int inherited = parent.copiesOfNewFiles();
    int usual = Math.max(1, inherited);
    return flags.copies() > 0 ? flags.copies() : Math.min(usual, used);
  }

  private Layout layout(long id, OpenFlags flags) throws MillraceException {
    long unit = flags.stripeUnitBytes() == 0 ? options.stripeUnitBytes() : flags.stripeUnitBytes();
    List<Integer> used = roster.used();
    int strands = flags.strands() == 0 ? used.size() : flags.strands();
    if (strands > StrandId.MAX_STRANDS) {
      throw new MillraceException(
          ErrorCode.INVALID, strands + " strands, must be at most " + StrandId.MAX_STRANDS);
    }
    try {
      boolean all = used.size() == roster.count();
      int first = all ? flags.firstNode() : firstUsed(used, flags.firstNode());
      Layout layout =
          first < 0
              ? Layout.forFile(id, unit, strands, used.size())
              : Layout.startingAt(first, unit, strands, used.size());
      Layout placed =
          all ? layout : new Layout(unit, layout.nodes().stream().map(used::get).toList());
      return flags.blockBytes() == 0 ? placed : placed.withBlockBytes(flags.blockBytes());
    } catch (IllegalArgumentException e) {
      throw refused(String.valueOf(e.getMessage()));
    }
  }

  /** The place among the nodes that are used of one, or of the next that is. */
  private static int firstUsed(List<Integer> used, int node) {
    int place = 0;
    while (node >= 0 && place < used.size() && used.get(place) < node) {
      place++;
    }
    return node < 0 ? node : place % used.size();
  }

  private static MillraceException refused(String reason) {
    return new MillraceException(ErrorCode.INVALID, "open: " + reason);
  }
}
