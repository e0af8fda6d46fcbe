package org.millrace.coordinator;

import java.util.List;
import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;
import org.millrace.files.NewFile;
import org.millrace.protocol.TransactionLogs;

/**
 * The rules of POSIX for making, linking, removing and renaming: checks what users ask and turns it
 * into valid changes. It changes nothing itself. Attributes are in {@link AttributeRules}.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class FileRules {

  static final int ALL_BITS = 07777;

  /** How many names a file can have. */
  static final int MAX_LINKS = 65_000;

  // constant after construction
  private final Names names;
  private final NameRules rules;
  private final NameClock clock;

  FileRules(Names names, NameRules rules, NameClock clock) {
    this.names = names;
    this.rules = rules;
    this.clock = clock;
  }

  /**
   * A name that may be taken away.
   *
   * @param place the name
   * @param entry what it stands for
   */
  record Taken(NameEntry.Place place, NameEntry entry) {}

  /**
   * A valid renaming.
   *
   * @param from where it begins
   * @param to where it ends
   * @param replaced the name that goes with it
   * @param change what happens then; empty if nothing does
   */
  record Renaming(
      PathWalk.Found from,
      PathWalk.Found to,
      Optional<Taken> replaced,
      Optional<NameChange> change) {}

  /** Something that is made, but for its name, with the usual owner and group. */
  NameChange.Make make(User user, NameEntry parent, FileKind kind, NewFile attributes)
      throws MillraceException {
    NameRules.checkPermissions(attributes.permissions(), ALL_BITS);
    boolean given = attributes.owner().isPresent() || attributes.group().isPresent();
    if (given && !rules.isSuperuser(user)) {
      throw new MillraceException(
          ErrorCode.NOT_OWNER, "user " + user + " may not make something for others");
    }
    String owner = attributes.owner().orElse(user.name());
    Paths.checkOwner(owner);
    boolean inherits = (parent.permissions & NameEntry.SET_GROUP) != 0;
    String group = attributes.group().orElse(inherits ? parent.group : user.firstGroup());
    Paths.checkGroup(group);
    int bits = attributes.permissions();
    if (kind == FileKind.DIRECTORY) {
      bits |= inherits ? NameEntry.SET_GROUP : 0;
    } else if (!rules.isSuperuser(user) && !user.groups().contains(group)) {
      bits &= ~NameEntry.SET_GROUP;
    }
    return NameChange.Make.of(names.nextId(), kind, owner, group, bits, Stamps.at(clock.next()));
  }

  /** Gives its first name to what is made. */
  static NameChange.Together named(NameChange.Make made, PathWalk.Found where) {
    return new NameChange.Together(
        List.of(
            made,
            new NameChange.Link(
                made.id(), where.parent().id, where.name(), made.stamps().changed())));
  }

  /** Where something may be made. */
  PathWalk.Found requireNew(User user, FilePath path, boolean directory) throws MillraceException {
    PathWalk.Found found = rules.find(user, unslashed(path));
    if (found.entry().isPresent()) {
      throw new NameExistsException(Paths.show(path.path()) + " exists");
    }
    if (hasSlash(path) && !directory) {
      throw new NoSuchNameException("there is no directory " + Paths.show(path.path()));
    }
    checkMayAdd(user, found.parent(), found.name());
    return found;
  }

  /** Whether a name may be made in a directory. */
  private void checkMayAdd(User user, NameEntry parent, String name) throws MillraceException {
    checkNoLogs(parent, name);
    rules.checkAllowed(user, parent, NameEntry.WRITE, "make a name in");
    rules.checkRoom(parent);
  }

  NameChange.Together makeDirectory(User user, FilePath path, NewFile attributes)
      throws MillraceException {
    PathWalk.Found where = requireNew(user, path, true);
    return named(make(user, where.parent(), FileKind.DIRECTORY, attributes), where);
  }

  NameChange.Together makeLink(User user, FilePath path, String target, NewFile attributes)
      throws MillraceException {
    Paths.checkText(target);
    if (target.isEmpty()) {
      throw new NoSuchNameException("a symbolic link to nothing");
    }
    PathWalk.Found where = requireNew(user, path, false);
    return named(special(make(user, where.parent(), FileKind.LINK, attributes), target, 0), where);
  }

  NameChange.Together makeSpecial(
      User user, FilePath path, FileKind kind, long device, NewFile attributes)
      throws MillraceException {
    boolean isDevice =
        switch (kind) {
          case CHARACTER_DEVICE, BLOCK_DEVICE -> true;
          case PIPE, SOCKET -> false;
          case FILE, DIRECTORY, LINK ->
              throw new MillraceException(ErrorCode.INVALID, kind + " is nothing special");
        };
    if (isDevice && !rules.isSuperuser(user)) {
      throw new MillraceException(ErrorCode.NOT_OWNER, "user " + user + " may not make a device");
    }
    PathWalk.Found where = requireNew(user, path, false);
    long number = isDevice ? device : 0;
    return named(special(make(user, where.parent(), kind, attributes), "", number), where);
  }

  private static NameChange.Make special(NameChange.Make made, String target, long device) {
    return new NameChange.Make(
        made.id(),
        made.kind(),
        made.owner(),
        made.group(),
        made.kind() == FileKind.LINK ? NameEntry.RANK_BITS : made.permissions(),
        made.stamps(),
        true,
        Optional.empty(),
        target,
        device);
  }

  NameChange.Link link(User user, FilePath existing, FilePath name) throws MillraceException {
    NameEntry entry = rules.require(user, existing);
    PathWalk.Found where = rules.find(user, unslashed(name));
    if (where.entry().isPresent()) {
      throw new NameExistsException(Paths.show(name.path()) + " exists");
    }
    if (hasSlash(name)) {
      throw new NoSuchNameException("there is no directory " + Paths.show(name.path()));
    }
    if (entry.isDirectory()) {
      throw new MillraceException(
          ErrorCode.NOT_OWNER, Paths.show(existing.path()) + " is a directory, with one name");
    }
    if (entry.isOrphan()) {
      throw new NoSuchNameException("file " + entry.id + " was removed");
    }
    checkNoLogs(entry.parent, entry.name);
    checkMayAdd(user, where.parent(), where.name());
    if (entry.links() >= MAX_LINKS) {
      throw new MillraceException(
          ErrorCode.TOO_MANY_LINKS,
          "%s has %s names".formatted(Paths.show(entry.path()), MAX_LINKS));
    }
    return new NameChange.Link(entry.id, where.parent().id, where.name(), clock.next());
  }

  /** The name that a user may take away. */
  Taken remove(User user, FilePath path, Removing what) throws MillraceException {
    PathWalk.Found found = findName(user, path);
    NameEntry entry = found.entry().orElseThrow();
    checkNoLogs(user, found);
    rules.checkAllowed(user, found.parent(), NameEntry.WRITE, "remove from");
    rules.checkMayTake(user, found.parent(), entry, "remove");
    if (what == Removing.FILE) {
      checkNoDirectory(entry, path);
    } else if (what == Removing.DIRECTORY) {
      checkDirectory(entry, path);
    }
    checkEmpty(entry, path);
    return new Taken(new NameEntry.Place(found.parent(), found.name()), entry);
  }

  /** What a path names that ends in a name. */
  private PathWalk.Found findName(User user, FilePath path) throws MillraceException {
    PathWalk.Found found = rules.findThere(user, unslashed(path));
    if (found.entry().orElseThrow().isRoot()) {
      throw new MillraceException(
          ErrorCode.INVALID, "path " + Paths.show(path.path()) + ": it names the root directory");
    }
    if (found.name().isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID, "path " + Paths.show(path.path()) + ": it does not end in a name");
    }
    if (hasSlash(path)) {
      checkDirectory(found.entry().orElseThrow(), path);
    }
    return found;
  }

  private static boolean hasSlash(FilePath path) {
    return path.path().endsWith("/");
  }

  /** The same name without a slash behind it: what a link there stands for is not meant. */
  private static FilePath unslashed(FilePath path) {
    String text = path.path();
    int end = text.length();
    while (end > 1 && text.charAt(end - 1) == '/') {
      end--;
    }
    return new FilePath(path.from(), text.substring(0, end), false);
  }

  Renaming rename(User user, FilePath from, FilePath to, Replacing replacing)
      throws MillraceException {
    PathWalk.Found old = findName(user, from);
    NameEntry entry = old.entry().orElseThrow();
    PathWalk.Found target =
        replacing == Replacing.EXCHANGE ? findName(user, to) : rules.find(user, unslashed(to));
    if (target.name().isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID, "path " + Paths.show(to.path()) + ": it does not end in a name");
    }
    Optional<NameEntry> victim = target.entry();
    if (replacing == Replacing.NEVER && victim.isPresent()) {
      throw new NameExistsException(Paths.show(to.path()) + " exists");
    }
    if (hasSlash(to) && !entry.isDirectory()) {
      throw notADirectory(from);
    }
    checkNotBelow(entry, target.parent(), from, to);
    if (victim.isPresent()) {
      if (replacing == Replacing.EXCHANGE) {
        checkNotBelow(victim.get(), old.parent(), to, from);
      } else if (victim.get().isAbove(old.parent())) {
        throw notEmpty(victim.get(), to);
      }
      if (victim.get() == entry) {
        return new Renaming(old, target, Optional.empty(), Optional.empty());
      }
    }
    checkNoLogs(user, old);
    checkNoLogs(user, target);
    checkMayMove(user, old, target.parent());
    if (victim.isEmpty()) {
      rules.checkAllowed(user, target.parent(), NameEntry.WRITE, "rename in");
      if (target.parent() != old.parent()) {
        rules.checkRoom(target.parent());
      }
    } else if (replacing == Replacing.EXCHANGE) {
      checkMayMove(user, target, old.parent());
    } else {
      checkReplaceable(user, entry, target, to);
    }
    return renaming(old, target, replacing);
  }

  private Renaming renaming(PathWalk.Found old, PathWalk.Found target, Replacing replacing) {
    long from = old.parent().id;
    long to = target.parent().id;
    long now = clock.next();
    if (replacing == Replacing.EXCHANGE) {
      return new Renaming(
          old,
          target,
          Optional.empty(),
          Optional.of(new NameChange.Exchange(from, old.name(), to, target.name(), now)));
    }
    return new Renaming(
        old,
        target,
        target
            .entry()
            .map(victim -> new Taken(new NameEntry.Place(target.parent(), target.name()), victim)),
        Optional.of(new NameChange.Move(from, old.name(), to, target.name(), now)));
  }

  private void checkMayMove(User user, PathWalk.Found old, NameEntry to) throws MillraceException {
    NameEntry entry = old.entry().orElseThrow();
    rules.checkAllowed(user, old.parent(), NameEntry.WRITE, "rename in");
    rules.checkMayTake(user, old.parent(), entry, "rename");
    if (entry.isDirectory() && old.parent() != to && !user.rank()) { // its .. changes
      rules.checkAllowed(user, entry, NameEntry.WRITE, "move");
    }
  }

  private void checkReplaceable(User user, NameEntry entry, PathWalk.Found target, FilePath to)
      throws MillraceException {
    NameEntry victim = target.entry().orElseThrow();
    rules.checkAllowed(user, target.parent(), NameEntry.WRITE, "remove from");
    rules.checkMayTake(user, target.parent(), victim, "remove");
    if (entry.isDirectory()) {
      checkDirectory(victim, to);
    } else {
      checkNoDirectory(victim, to);
    }
    checkEmpty(victim, to);
  }

  private static void checkNotBelow(NameEntry entry, NameEntry parent, FilePath from, FilePath to)
      throws MillraceException {
    if (entry.isAbove(parent)) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "directory %s cannot move below itself to %s"
              .formatted(Paths.show(from.path()), Paths.show(to.path())));
    }
  }

  private static void checkEmpty(NameEntry entry, FilePath path) throws MillraceException {
    if (!entry.children.isEmpty()) {
      throw notEmpty(entry, path);
    }
  }

  private static MillraceException notEmpty(NameEntry entry, FilePath path) {
    return new MillraceException(
        ErrorCode.NOT_EMPTY,
        "directory %s is not empty: it holds %s names"
            .formatted(Paths.show(path.path()), entry.children.size()));
  }

  private static void checkDirectory(NameEntry entry, FilePath path) throws MillraceException {
    if (!entry.isDirectory()) {
      throw notADirectory(path);
    }
  }

  private static MillraceException notADirectory(FilePath path) {
    return new MillraceException(
        ErrorCode.NOT_A_DIRECTORY, Paths.show(path.path()) + " is not a directory");
  }

  private static void checkNoDirectory(NameEntry entry, FilePath path) throws MillraceException {
    if (entry.isDirectory()) {
      throw new MillraceException(
          ErrorCode.IS_DIRECTORY, Paths.show(path.path()) + " is a directory");
    }
  }

  private static void checkNoLogs(User user, PathWalk.Found found) throws MillraceException {
    if (!user.rank()) {
      checkNoLogs(found.parent(), found.name());
    }
  }

  /** Logs of transactions, and their directory, are for ranks alone. */
  static void checkNoLogs(NameEntry parent, String name) throws MillraceException {
    if (parent.isLogDirectory() || NameRules.isHidden(parent, name)) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED, TransactionLogs.DIRECTORY + " is for the logs of transactions");
    }
  }
}
