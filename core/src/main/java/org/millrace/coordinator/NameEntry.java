package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;
import org.millrace.protocol.TransactionLogs;

/**
 * A file or directory in the tree of names. Owned by its {@link Names}; guarded by the
 * coordinator's lock.
 *
 * <p>The root is its own parent.
 */
final class NameEntry {

  static final int READ = 4;
  static final int WRITE = 2;
  static final int SEARCH = 1;

  // constant after construction
  final long id;
  final String owner;
  final long createdMillis;
  final TreeMap<String, NameEntry> children = new TreeMap<>();

  // guarded by the coordinator's lock
  Optional<Layout> layout; // strands of files without copies can move
  final TreeSet<Integer> lost = new TreeSet<>(); // strands that no node has any more
  NameEntry parent = this;
  String name = "";
  String group;
  int permissions;
  boolean confirmed;
  int copies; // of new files in a directory
  @Nullable CopiedFile copied; // of a file that has copies

  NameEntry(
      long id,
      String owner,
      String group,
      int permissions,
      long createdMillis,
      Optional<Layout> layout) {
    this.id = id;
    this.owner = owner;
    this.group = group;
    this.permissions = permissions;
    this.createdMillis = createdMillis;
    this.layout = layout;
    this.confirmed = layout.isEmpty();
  }

  boolean isDirectory() {
    return layout.isEmpty();
  }

  boolean isRoot() {
    return parent == this;
  }

  /** Whether this is the directory of the logs of transactions. */
  boolean isLogDirectory() {
    return !isRoot() && parent.isRoot() && isDirectory() && name.equals(TransactionLogs.DIRECTORY);
  }

  /**
   * Whether {@code user}, who is not the superuser, has the given right: by the owner's mode bits
   * if it is the owner, else by the group's if it is in the group, else by the others'.
   */
  boolean allows(User user, int right) {
    int shift = user.name().equals(owner) ? 6 : isInGroup(user) ? 3 : 0;
    return (permissions >> shift & right) != 0;
  }

  private boolean isInGroup(User user) {
    return !group.isEmpty() && user.groups().contains(group);
  }

  /** Whether {@code other} is this entry or lies below it. */
  boolean isAbove(NameEntry other) {
    NameEntry at = other;
    while (at != this && !at.isRoot()) {
      at = at.parent;
    }
    return at == this;
  }

  String path() {
    if (isRoot()) {
      return "";
    }
    StringBuilder path = new StringBuilder(name);
    for (NameEntry at = parent; !at.isRoot(); at = at.parent) {
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
    while (at.copies == 0 && !at.isRoot()) {
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

  FileEntry describe() {
    CopiedFile own = copied;
    return new FileEntry(
        path(),
        id,
        layout.map(this::owners),
        owner,
        group,
        permissions,
        createdMillis,
        confirmed,
        isDirectory() ? copies : own == null ? 1 : own.copies,
        lost.size() + (own == null ? 0 : own.missing()));
  }
}
