package org.millrace.coordinator;

import java.util.List;
import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileKind;
import org.millrace.message.Peer;
import org.millrace.protocol.TransactionLogs;

/**
 * Files with transactions that are committed and perhaps not applied, according to the names of
 * their logs, and the permissions for such names: a session replays a log with its own rights, so a
 * log must not name a file that its writer could not write.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class Transactions {

  private static final int EVERYBODYS = Names.rankBits(NameRules.ALL_PERMISSIONS, true);

  // constant after construction
  private final Names names;
  private final Opens opens;

  // guarded by the coordinator's lock
  private long lastGone = -1; // the session that ended last

  Transactions(Names names, Opens opens) {
    this.names = names;
    this.opens = opens;
  }

  private Optional<NameEntry> directory() {
    return NameRules.child(names.root(), TransactionLogs.DIRECTORY).filter(NameEntry::isDirectory);
  }

  /**
   * Whether this user has to finish a transaction of this file: a committed log of it is there. A
   * user who may not read that log does not learn of it while its writer lives, which is about to
   * finish it.
   */
  boolean isUnfinished(long file, User user) {
    Optional<NameEntry> logs = directory();
    return logs.isPresent()
        && logs.get().children.values().stream()
            .filter(NameEntry::isFile)
            .filter(log -> TransactionLogs.files(log.name).contains(file))
            .anyMatch(log -> isReader(user, log) || !hasLivingWriter(log));
  }

  private boolean isReader(User user, NameEntry log) {
    return user.name().equals(log.owner) || user.name().equals(names.root().owner);
  }

  private boolean hasLivingWriter(NameEntry log) {
    for (Open open : opens.of(log.id)) {
      for (GroupMember member : open.group().joinedMembers()) {
        if (open.flags().write() && !member.hasLeft() && member.actor.peer.session() != lastGone) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * A session has ended, and its groups end now, one after the other: it writes no more logs, even
   * if locks of its files are granted to others before the log's group has ended.
   */
  void onSessionEnd(Peer from) {
    lastGone = from.session();
  }

  /** Removes committed logs whose files are all gone, and which are not open. */
  void removeOrphans(Removals removals, long at) {
    Optional<NameEntry> logs = directory();
    if (logs.isEmpty()) {
      return;
    }
    for (NameEntry log : List.copyOf(logs.get().children.values())) {
      if (log.isFile()
          && TransactionLogs.isCommitted(log.name)
          && TransactionLogs.files(log.name).stream().allMatch(id -> names.byId(id).isEmpty())
          && opens.of(log.id).isEmpty()) {
        removals.remove(log, at);
      }
    }
  }

  /**
   * Makes the directory when its first log is about to be made. It is nobody's but the superuser's,
   * for any owner of that log: its owner could remove others' logs.
   */
  void makeRoomFor(List<String> path, Journal journal, long at) {
    if (path.size() != 2
        || !path.getFirst().equals(TransactionLogs.DIRECTORY)
        || !TransactionLogs.isPending(path.getLast())) {
      return;
    }
    NameEntry root = names.root();
    Optional<NameEntry> there = NameRules.child(root, TransactionLogs.DIRECTORY);
    if (there.isEmpty()) {
      NameChange.Make made =
          NameChange.Make.of(
              names.nextId(), FileKind.DIRECTORY, root.owner, "", EVERYBODYS, Stamps.at(at));
      journal.write(
          new NameChange.Together(
              List.of(
                  made, new NameChange.Link(made.id(), root.id, TransactionLogs.DIRECTORY, at))));
    } else if (there.get().permissions != EVERYBODYS) { // a user made it, long ago
      NameEntry old = there.get();
      journal.write(
          new NameChange.SetAttributes(
              old.id, old.owner, old.group, EVERYBODYS, old.stamps.changed(at)));
    }
  }

  /** The directory is made by the coordinator alone, and holds none. */
  void checkMakeDirectory(List<String> path) throws MillraceException {
    if (path.getFirst().equals(TransactionLogs.DIRECTORY)) {
      throw refused("make directory " + String.join("/", path));
    }
  }

  /** No user can change the directory. */
  void checkChange(NameEntry entry, String toDo) throws MillraceException {
    if (entry.isLogDirectory()) {
      throw refused(toDo + " it");
    }
  }

  /** Names in the directory begin as those of pending logs. */
  void checkMake(NameEntry parent, String name) throws MillraceException {
    if (NameRules.isHidden(parent, name)
        || parent.isLogDirectory() && !TransactionLogs.isPending(name)) {
      throw refused("make " + name);
    }
  }

  /** Only a session that has all its files open for writing commits a log. */
  void checkRename(Peer from, PathWalk.Found old, PathWalk.Found to) throws MillraceException {
    checkChange(old.entry().orElseThrow(), "rename");
    boolean isLog = old.parent().isLogDirectory();
    boolean becomesLog = to.parent().isLogDirectory();
    if (isLog || becomesLog || NameRules.isHidden(to.parent(), to.name())) {
      checkRenameLog(from, old.name(), to.name(), isLog && becomesLog);
    }
  }

  private void checkRenameLog(Peer from, String name, String to, boolean within)
      throws MillraceException {
    boolean commits = within && TransactionLogs.isPending(name) && TransactionLogs.isCommitted(to);
    boolean ends = within && TransactionLogs.isCommitted(name) && TransactionLogs.isDone(to);
    if (!commits && !ends) {
      throw refused("rename to " + to);
    }
    for (long file : TransactionLogs.files(to)) {
      if (!writes(from, file)) {
        throw new MillraceException(
            ErrorCode.NOT_PERMITTED,
            "session " + from.session() + " does not have file " + file + " open for writing");
      }
    }
  }

  private boolean writes(Peer peer, long file) {
    for (Open open : opens.of(file)) {
      for (GroupMember member : open.group().joinedMembers()) {
        if (open.flags().write()
            && !member.hasLeft()
            && member.actor.peer.session() == peer.session()) {
          return true;
        }
      }
    }
    return false;
  }

  private static MillraceException refused(String what) {
    return new MillraceException(
        ErrorCode.NOT_PERMITTED,
        TransactionLogs.DIRECTORY + " is for the logs of transactions: cannot " + what);
  }
}
