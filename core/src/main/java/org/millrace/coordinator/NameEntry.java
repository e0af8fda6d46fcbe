package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.millrace.files.FileKind;
import org.millrace.files.FileStatus;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;
import org.millrace.protocol.Bytes;
import org.millrace.protocol.FileFacts;
import org.millrace.protocol.TransactionLogs;

/**
 * A file, directory, link or special file in the tree of names. A directory has one name, the root
 * none; all else has any number of names. What has none but is open is an orphan, and its own
 * parent. Owned by its {@link Names}; guarded by the coordinator's lock.
 */
final class NameEntry {

  static final int READ = 4;
  static final int WRITE = 2;
  static final int SEARCH = 1;

  /** In a directory's mode bits: only owners take names away. */
  static final int STICKY = 01000;

  static final int SET_GROUP = 02000;
  static final int SET_USER = 04000;

  /** The mode bits that ranks know. */
  static final int RANK_BITS = 0777;

  // constant after construction
  final long id;
  final FileKind kind;
  final String target; // of a link
  final long device;
  final NavigableMap<String, NameEntry> children; // of a directory, in the order of UTF-8 bytes

  // guarded by the coordinator's lock
  Optional<Layout> layout; // of a file; strands of files without copies can move
  final TreeSet<Integer> lost = new TreeSet<>(); // strands that no node has any more
  NameEntry parent = this; // of its first name
  String name = "";
  List<Place> more = List.of(); // its other names
  String owner;
  String group;
  int permissions;
  Stamps stamps;
  boolean confirmed;
  int copies; // of new files in a directory
  int directories; // in a directory
  NavigableMap<String, Bytes> extended = Collections.emptyNavigableMap();
  @Nullable CopiedFile copied; // of a file that has copies

  /** A name in a directory. */
  record Place(NameEntry parent, String name) {}

  NameEntry(NameChange.Make made) {
    this.id = made.id();
    this.kind = made.kind();
    this.target = made.target();
    this.device = made.device();
    this.children =
        isDirectory() ? new TreeMap<>(NameOrder.INSTANCE) : Collections.emptyNavigableMap();
    this.owner = made.owner();
    this.group = made.group();
    this.permissions = made.permissions();
    this.stamps = made.stamps();
    this.layout = made.layout();
    this.confirmed = made.confirmed();
  }

  boolean isDirectory() {
    return kind == FileKind.DIRECTORY;
  }

  boolean isFile() {
    return kind == FileKind.FILE;
  }

  boolean isLink() {
    return kind == FileKind.LINK;
  }

  boolean isRoot() {
    return id == Names.ROOT;
  }

  /** Whether it has no name any more. */
  boolean isOrphan() {
    return parent == this && !isRoot();
  }

  /** Whether this is the directory of the logs of transactions. */
  boolean isLogDirectory() {
    return !isRoot() && parent.isRoot() && isDirectory() && name.equals(TransactionLogs.DIRECTORY);
  }

  /** What it is, for messages. */
  String kindName() {
    return switch (kind) {
      case FILE -> "a file";
      case DIRECTORY -> "a directory";
      case LINK -> "a symbolic link";
      case PIPE -> "a pipe";
      case SOCKET -> "a socket";
      case CHARACTER_DEVICE, BLOCK_DEVICE -> "a device";
    };
  }

  /** How many names it has, as POSIX counts them. */
  long links() {
    return isDirectory() ? 2L + directories : isOrphan() ? 0 : 1L + more.size();
  }

  /** All its names. */
  List<Place> places() {
    List<Place> all = new ArrayList<>(1 + more.size());
    if (!isOrphan() && !isRoot()) {
      all.add(new Place(parent, name));
    }
    all.addAll(more);
    return all;
  }

  /** Whether {@code user} is in its group. */
  boolean isInGroup(User user) {
    return !group.isEmpty() && user.groups().contains(group);
  }

  /**
   * Whether {@code user}, who is not the superuser, has the given right: by the owner's mode bits
   * if it is the owner, else by the group's if it is in the group, else by the others'.
   */
  boolean allows(User user, int right) {
    int shift = user.name().equals(owner) ? 6 : isInGroup(user) ? 3 : 0;
    return (permissions >> shift & right) != 0;
  }

  /** Whether {@code other} is this entry or lies below it. */
  boolean isAbove(NameEntry other) {
    NameEntry at = other;
    while (at != this && at.parent != at) {
      at = at.parent;
    }
    return at == this;
  }

  /** One of its paths. */
  String path() {
    if (isRoot()) {
      return "";
    }
    if (isOrphan()) {
      return "removed file " + id;
    }
    StringBuilder path = new StringBuilder(name);
    for (NameEntry at = parent; at.parent != at; at = at.parent) {
      path.insert(0, at.name + "/");
    }
    return path.toString();
  }

  private Layout owners(Layout dealt) {
    return copied == null ? dealt : copied.owners(dealt);
  }

  /** A file's layout, with the nodes that own its strands now. */
  Layout currentLayout() {
    return owners(layout.orElseThrow());
  }

  /** How many copies a new file in this directory gets; 0 if no directory says. */
  int copiesOfNewFiles() {
    NameEntry at = this;
    while (at.copies == 0 && at.parent != at) {
      at = at.parent;
    }
    return at.copies;
  }

  /** A strand of a file without copies is on another node from now on. */
  void move(int strand, int node) {
    Layout before = layout.orElseThrow();
    List<Integer> nodes = new ArrayList<>(before.nodes());
    nodes.set(strand, node);
    layout = Optional.of(new Layout(before.stripeUnitBytes(), before.blockBytes(), nodes));
  }

  /** For ranks. */
  FileEntry describe() {
    CopiedFile own = copied;
    return new FileEntry(
        path(),
        id,
        layout.map(this::owners),
        owner,
        group,
        permissions & RANK_BITS,
        stamps.createdMillis(),
        confirmed,
        isDirectory() ? copies : own == null ? 1 : own.copies,
        lost.size() + (own == null ? 0 : own.missing()));
  }

  FileStatus status() {
    return new FileStatus(
        id,
        kind,
        permissions,
        owner,
        group,
        links(),
        isLink() ? Paths.bytes(target) : 0,
        stamps.times(),
        device);
  }

  /**
   * For programs that are no ranks.
   *
   * @param copyEpoch the highest of all sets of copies
   */
  FileFacts facts(long copyEpoch) {
    return new FileFacts(
        status(), layout.map(this::owners), copied == null ? 0 : copyEpoch, stamps.witness());
  }
}
