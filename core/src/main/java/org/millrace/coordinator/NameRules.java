package org.millrace.coordinator;

import java.util.List;
import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.files.FilePath;
import org.millrace.protocol.TransactionLogs;

/**
 * Permissions: finds what users name in the tree, and says what they may do with it. It changes
 * nothing.
 *
 * <p>Mode bits are read as in chmod, for owner, group or others: a directory needs read to be
 * listed, write for making, removing and renaming in it, search to go through it. In a directory
 * with the sticky bit only owners take names away. The superuser may do everything; ranks of the
 * superuser everything with what belongs to others.
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
  private final Holding holding;

  /** Says whether a session has a file open. */
  interface Holding {
    boolean has(long session, long file);
  }

  NameRules(Names names, String superuser, Quotas bounds, Holding holding) {
    this.holding = holding;
    this.bounds = bounds;
    this.names = names;
    this.superuser = superuser;
  }

  /** What a rank calls {@code path}. Errors are those that ranks know. */
  NameEntry require(User user, String path) throws MillraceException {
    Paths.split(path);
    try {
      return require(user, FilePath.of(path));
    } catch (MillraceException e) {
      throw forRanks(e);
    }
  }

  /** What {@code path} names. */
  NameEntry require(User user, FilePath path) throws MillraceException {
    PathWalk walk = walk(user, path);
    return walk.require(from(user, path), path.path(), path.follow());
  }

  /** What {@code path} names, and where it is or would be. */
  PathWalk.Found find(User user, FilePath path) throws MillraceException {
    return walk(user, path).walk(from(user, path), path.path(), path.follow());
  }

  /** As {@link #find}, of something that must be there. */
  PathWalk.Found findThere(User user, FilePath path) throws MillraceException {
    PathWalk walk = walk(user, path);
    PathWalk.Found found = walk.walk(from(user, path), path.path(), path.follow());
    walk.require(found);
    return found;
  }

  private PathWalk walk(User user, FilePath path) {
    return new PathWalk(
        names.root(),
        path.from() == FilePath.ROOT ? path.path() : path.toString(),
        directory -> checkAllowed(user, directory, NameEntry.SEARCH, "go through"));
  }

  /**
   * Where a path begins. An id is no right: one must be able to come there by a path, or have it
   * open.
   */
  private NameEntry from(User user, FilePath path) throws MillraceException {
    NameEntry entry =
        names
            .byId(path.from())
            .orElseThrow(() -> new NoSuchNameException("there is no file of id " + path.from()));
    if (!entry.isRoot() && !isReachable(user, entry)) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          "user %s may not go to file %s, nor has it open".formatted(user, entry.id));
    }
    return entry;
  }

  private boolean isReachable(User user, NameEntry entry) {
    return isSuperuser(user)
        || entry.places().stream().anyMatch(place -> isPassable(user, place.parent()))
        || holding.has(user.session(), entry.id);
  }

  private boolean isPassable(User user, NameEntry directory) {
    NameEntry at = directory;
    while (allows(user, at, NameEntry.SEARCH) && !at.isRoot()) {
      at = at.parent;
    }
    return at.isRoot() && allows(user, at, NameEntry.SEARCH);
  }

  /** An error in words that ranks know. */
  static MillraceException forRanks(MillraceException e) {
    ErrorCode code =
        switch (e.code()) {
          case IS_DIRECTORY, NOT_A_DIRECTORY, NOT_EMPTY -> ErrorCode.WRONG_KIND;
          case LOOP, NAME_TOO_LONG, TOO_MANY_LINKS, UNSUPPORTED -> ErrorCode.INVALID;
          case NOT_OWNER -> ErrorCode.NOT_PERMITTED;
          default -> e.code();
        };
    return code == e.code() ? e : MillraceException.of(code, String.valueOf(e.getMessage()));
  }

  List<String> list(User user, String path) throws MillraceException {
    NameEntry directory = require(user, path);
    if (!directory.isDirectory()) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND, Paths.show(path) + " is a file, not a directory");
    }
    checkAllowed(user, directory, NameEntry.READ, "list");
    checkFitsAnswer(directory);
    return directory.children.entrySet().stream()
        .filter(e -> !isHidden(directory, e.getKey()))
        .map(e -> e.getValue().isDirectory() ? e.getKey() + "/" : e.getKey())
        .sorted()
        .toList();
  }

  /** Whether a name is not listed. */
  static boolean isHidden(NameEntry directory, String name) {
    return directory.isRoot() && name.equals(TransactionLogs.DIRECTORY);
  }

  private void checkFitsAnswer(NameEntry directory) throws MillraceException {
    long bytes = 0;
    for (String name : directory.children.keySet()) {
      bytes += LISTED_BYTES + name.length() + name.chars().filter(c -> c >= 0x80).count() * 2;
    }
    if (bytes > bounds.listingBytes()) {
      throw new MillraceException(
          ErrorCode.REFUSED,
          "%s holds %s names of %s bytes together, at most %s bytes are listed"
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

  /**
   * Where the directory is sticky only owners of a name and the directory's may take it away. Logs
   * of transactions only their owners.
   */
  void checkMayTake(User user, NameEntry parent, NameEntry entry, String toDo)
      throws MillraceException {
    if (!mayTake(user, parent, entry)) {
      throw new MillraceException(
          ErrorCode.NOT_OWNER,
          "user %s may not %s %s of %s in a directory that everybody may write to"
              .formatted(user, toDo, Paths.show(entry.path()), entry.owner));
    }
  }

  private boolean mayTake(User user, NameEntry parent, NameEntry entry) {
    boolean isLog = parent.isLogDirectory();
    boolean sticky = isLog || (parent.permissions & NameEntry.STICKY) != 0;
    return !sticky || owns(user, entry) || !isLog && owns(user, parent);
  }

  /** Whether a user may remove the only name of a file. */
  boolean mayRemove(User user, long file) {
    return names
        .byId(file)
        .filter(entry -> entry.links() == 1)
        .filter(entry -> allows(user, entry.parent, NameEntry.WRITE))
        .filter(entry -> mayTake(user, entry.parent, entry))
        .isPresent();
  }

  /** What {@code path} names, if {@code user} owns it or is the superuser. */
  NameEntry requireOwn(User user, String path, String toDo) throws MillraceException {
    NameEntry entry = require(user, path);
    try {
      checkOwns(user, entry, toDo);
    } catch (MillraceException e) {
      throw forRanks(e);
    }
    return entry;
  }

  /** Throws unless the user owns it, or is the superuser. */
  void checkOwns(User user, NameEntry entry, String toDo) throws MillraceException {
    if (!owns(user, entry)) {
      throw new MillraceException(
          ErrorCode.NOT_OWNER,
          "user %s may not %s %s of %s"
              .formatted(user, toDo, Paths.show(entry.path()), entry.owner));
    }
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

  /** The owner as it is stored: the superuser's root has none, whatever the superuser is called. */
  String stored(NameEntry entry, String owner) {
    return entry.isRoot() && owner.equals(superuser) ? "" : owner;
  }

  boolean isSuperuser(User user) {
    return user.name().equals(superuser);
  }

  /** What lies in {@code parent} under this name. */
  static Optional<NameEntry> child(NameEntry parent, String name) {
    return Optional.ofNullable(parent.children.get(name));
  }

  /**
   * Throws unless the mode bits allow it. They do not bind the superuser; but its ranks on what is
   * its own: the user who runs a cluster is its superuser, and that user's parallel programs must
   * mean the same with a mode as those of a user who does not.
   */
  void checkAllowed(User user, NameEntry entry, int right, String toDo) throws MillraceException {
    if (!allows(user, entry, right)) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          String.format(
              "user %s may not %s %s of %s with mode %03o",
              user,
              toDo,
              Paths.show(entry.path()),
              entry.owner,
              entry.permissions & ALL_PERMISSIONS));
    }
  }

  /** Whether mode bits allow it, as {@link #checkAllowed} says. */
  boolean allows(User user, NameEntry entry, int right) {
    boolean exempt = isSuperuser(user) && !(user.rank() && user.name().equals(entry.owner));
    return exempt || entry.allows(user, right);
  }

  static void checkPermissions(int permissions) throws MillraceException {
    checkPermissions(permissions, ALL_PERMISSIONS);
  }

  static void checkPermissions(int permissions, int all) throws MillraceException {
    if ((permissions & ~all) != 0) {
      throw new MillraceException(
          ErrorCode.INVALID, String.format("mode bits %o are not within %o", permissions, all));
    }
  }
}
