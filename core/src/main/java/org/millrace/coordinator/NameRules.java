package org.millrace.coordinator;

import java.util.List;
import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.TransactionLogs;

/**
 * Permissions: checks requests of users against the tree of names and turns them into valid
 * changes. It changes nothing itself.
 *
 * <p>Mode bits are read as in chmod, for owner, group or others: a directory needs read to be
 * listed, write for making, removing and renaming in it, search to go through it. The superuser may
 * do everything with what belongs to others; its own files have modes like everybody's.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class NameRules {

  static final int ALL_PERMISSIONS = 0777;

  /** What a name in a listing takes beside its characters. */
  private static final int LISTED_BYTES = 5;

  // constant after construction
  private final Names names;
  private final String superuser;
  private final Quotas bounds;

  NameRules(Names names, String superuser, Quotas bounds) {
    this.bounds = bounds;
    this.names = names;
    this.superuser = superuser;
  }

  /** What {@code path} names. */
  NameEntry require(User user, String path) throws MillraceException {
    return follow(user, Paths.split(path), path);
  }

  List<String> list(User user, String path) throws MillraceException {
    NameEntry directory = require(user, path);
    if (!directory.isDirectory()) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND, Paths.show(path) + " is a file, not a directory");
    }
    checkAllowed(user, directory, NameEntry.READ, "list");
    checkFitsAnswer(directory);
    return directory.children.values().stream()
        .filter(e -> !directory.isRoot() || !e.name.equals(TransactionLogs.DIRECTORY))
        .map(e -> e.isDirectory() ? e.name + "/" : e.name)
        .sorted()
        .toList();
  }

  private void checkFitsAnswer(NameEntry directory) throws MillraceException {
    long bytes = 0;
    for (NameEntry entry : directory.children.values()) {
      bytes +=
          LISTED_BYTES
              + entry.name.length()
              + entry.name.chars().filter(c -> c >= 0x80).count() * 2;
    }
    if (bytes > bounds.listingBytes()) {
      throw new MillraceException(
          ErrorCode.REFUSED,
          "%s holds %d names of %d bytes together, at most %d bytes are listed"
              .formatted(
                  Paths.show(directory.path()),
                  directory.children.size(),
                  bytes,
                  bounds.listingBytes()));
    }
  }

  /** Whether one more name may be made in a directory. */
  void checkRoom(NameEntry directory) throws MillraceException {
    Quotas.check(
        directory.children.size(), bounds.names(), "directory " + Paths.show(directory.path()));
  }

  NameChange makeDirectory(User user, CoordinatorRequest.MakeDirectory request, long nowMillis)
      throws MillraceException {
    checkPermissions(request.permissions());
    List<String> path = Paths.splitBelowRoot(request.path());
    NameEntry parent = requireParent(user, path, request.path());
    String name = path.getLast();
    if (parent.children.containsKey(name)) {
      throw new NameExistsException(Paths.show(request.path()) + " exists");
    }
    checkAllowed(user, parent, NameEntry.WRITE, "make a name in");
    checkRoom(parent);
    return new NameChange.MakeDirectory(
        names.nextId(),
        parent.id,
        name,
        user.name(),
        user.firstGroup(),
        request.permissions(),
        nowMillis);
  }

  /** The file that would go if it were replaced; empty if there is nothing of that name. */
  Optional<NameEntry> replaceable(User user, CoordinatorRequest.Rename request)
      throws MillraceException {
    List<String> path = Paths.splitBelowRoot(request.to());
    Optional<NameEntry> old = child(requireParent(user, path, request.to()), path.getLast());
    if (old.isEmpty()) {
      return old;
    }
    if (old.get().isDirectory() || require(user, request.from()).isDirectory()) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND,
          "%s cannot take the place of %s: only a file can that of a file"
              .formatted(Paths.show(request.from()), Paths.show(request.to())));
    }
    return Optional.of(requireRemovable(user, request.to()));
  }

  NameChange.Rename rename(User user, CoordinatorRequest.Rename request) throws MillraceException {
    List<String> fromPath = Paths.splitBelowRoot(request.from());
    List<String> toPath = Paths.splitBelowRoot(request.to());
    NameEntry entry = follow(user, fromPath, request.from());
    NameEntry parent = requireParent(user, toPath, request.to());
    if (!request.replace() && parent.children.containsKey(toPath.getLast())) {
      throw new NameExistsException(Paths.show(request.to()) + " exists");
    }
    if (entry.isAbove(parent)) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "directory "
              + Paths.show(request.from())
              + " cannot move below itself to "
              + Paths.show(request.to()));
    }
    checkAllowed(user, entry.parent, NameEntry.WRITE, "rename in");
    checkMayTake(user, entry, "rename");
    checkAllowed(user, parent, NameEntry.WRITE, "rename in");
    if (parent != entry.parent && !parent.children.containsKey(toPath.getLast())) {
      checkRoom(parent);
    }
    return new NameChange.Rename(entry.id, parent.id, toPath.getLast());
  }

  /** The entry that {@code user} may remove under this path. */
  NameEntry requireRemovable(User user, String path) throws MillraceException {
    NameEntry entry = follow(user, Paths.splitBelowRoot(path), path);
    checkAllowed(user, entry.parent, NameEntry.WRITE, "remove from");
    checkMayTake(user, entry, "remove");
    if (!entry.children.isEmpty()) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND,
          "directory "
              + Paths.show(path)
              + " is not empty: it holds "
              + entry.children.size()
              + " names");
    }
    return entry;
  }

  /**
   * Where everybody may make names, as in the root, only their owners and the directory's may take
   * them away: what Unix needs a further bit for. Logs of transactions only their owners.
   */
  void checkMayTake(User user, NameEntry entry, String toDo) throws MillraceException {
    boolean isLog = entry.parent.isLogDirectory();
    boolean everybodys = isLog || (entry.parent.permissions & NameEntry.WRITE) != 0;
    if (everybodys && !owns(user, entry) && (isLog || !owns(user, entry.parent))) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          "user %s may not %s %s of %s in a directory that everybody may write to"
              .formatted(user, toDo, Paths.show(entry.path()), entry.owner));
    }
  }

  NameChange setPermissions(User user, CoordinatorRequest.SetPermissions request)
      throws MillraceException {
    checkPermissions(request.permissions());
    NameEntry entry = requireOwn(user, request.path(), "change");
    return new NameChange.SetPermissions(entry.id, request.permissions());
  }

  /** Only to one of the owner's own groups, or to none; the superuser gives it to any. */
  NameChange setGroup(User user, CoordinatorRequest.SetGroup request) throws MillraceException {
    Paths.checkGroup(request.group());
    NameEntry entry = requireOwn(user, request.path(), "change");
    String group = request.group();
    if (!group.isEmpty() && !user.groups().contains(group) && !isSuperuser(user)) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          "user " + user + " is not in group " + Paths.show(group) + " but in " + user.groups());
    }
    return new NameChange.SetGroup(entry.id, group);
  }

  /** What {@code path} names, if {@code user} owns it or is the superuser. */
  NameEntry requireOwn(User user, String path, String toDo) throws MillraceException {
    NameEntry entry = require(user, path);
    if (!owns(user, entry)) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          "user " + user + " may not " + toDo + " " + Paths.show(path) + " of " + entry.owner);
    }
    return entry;
  }

  boolean owns(User user, NameEntry entry) {
    return user.name().equals(entry.owner) || isSuperuser(user);
  }

  void checkSuperuser(User user, String what) throws MillraceException {
    if (!isSuperuser(user)) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED, "user " + user + " may not " + what + "; " + superuser + " may");
    }
  }

  boolean isSuperuser(User user) {
    return user.name().equals(superuser);
  }

  /** The directory in which the last name of {@code path} lies, or would lie. */
  NameEntry requireParent(User user, List<String> path, String shown) throws MillraceException {
    NameEntry parent = follow(user, path.subList(0, path.size() - 1), shown);
    checkSearchable(user, parent, shown);
    return parent;
  }

  /** What lies in {@code parent} under this name. */
  static Optional<NameEntry> child(NameEntry parent, String name) {
    return Optional.ofNullable(parent.children.get(name));
  }

  /**
   * Throws unless the mode bits allow it. They do not bind the superuser, except on what is its
   * own: the user who runs a cluster is its superuser, and that user's programs must mean the same
   * with a mode as those of a user who does not.
   */
  void checkAllowed(User user, NameEntry entry, int right, String toDo) throws MillraceException {
    boolean exempt = isSuperuser(user) && !user.name().equals(entry.owner);
    if (!exempt && !entry.allows(user, right)) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          String.format(
              "user %s may not %s %s of %s with mode %03o",
              user, toDo, Paths.show(entry.path()), entry.owner, entry.permissions));
    }
  }

  static void checkPermissions(int permissions) throws MillraceException {
    if ((permissions & ~ALL_PERMISSIONS) != 0) {
      throw new MillraceException(
          ErrorCode.INVALID,
          String.format("mode bits %o are not within %o", permissions, ALL_PERMISSIONS));
    }
  }

  private NameEntry follow(User user, List<String> path, String shown) throws MillraceException {
    NameEntry at = names.root();
    for (String name : path) {
      checkSearchable(user, at, shown);
      NameEntry next = at.children.get(name);
      if (next == null) {
        throw new NoSuchNameException(absent(at, name, shown));
      }
      at = next;
    }
    return at;
  }

  private static String absent(NameEntry directory, String name, String shown)
      throws MillraceException {
    String path = directory.isRoot() ? name : directory.path() + "/" + name;
    return String.join("/", Paths.split(shown)).equals(path)
        ? "there is no " + Paths.show(path)
        : "there is no directory %s; make it with millrace mkdir, or makeDirectory"
            .formatted(Paths.show(path));
  }

  private void checkSearchable(User user, NameEntry directory, String shown)
      throws MillraceException {
    if (!directory.isDirectory()) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND,
          Paths.show(directory.path())
              + " on the way to "
              + Paths.show(shown)
              + " is a file, not a directory");
    }
    checkAllowed(user, directory, NameEntry.SEARCH, "go through");
  }
}
