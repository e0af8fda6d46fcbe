package org.millrace.testing.files;

import java.util.OptionalLong;
import org.millrace.error.MillraceException;
import org.millrace.files.FileChange;
import org.millrace.files.FileKind;

/** Changes attributes of a node, all or none. Guarded by the lock of the tree. */
final class MemoryChange {

  static final int SET_USER = 04000;
  static final int SET_GROUP = 02000;
  private static final int GROUP_EXECUTES = 010;

  private final MemoryStore store;
  private final Caller caller;
  private final MemoryNode node;

  MemoryChange(MemoryStore store, Caller caller, MemoryNode node) {
    this.store = store;
    this.caller = caller;
    this.node = node;
  }

  void apply(Object path, FileChange change) throws MillraceException {
    check(path, change);
    change.size().ifPresent(this::resize);
    node.owner = change.owner().orElse(node.owner);
    node.group = change.group().orElse(node.group);
    boolean given = change.owner().isPresent() || change.group().isPresent();
    if (given && !node.isDirectory()) {
      dropSetBits();
    }
    change.permissions().ifPresent(bits -> node.permissions = settable(bits));
    long now = store.now();
    node.accessed = time(change.accessed(), node.accessed, now);
    node.modified = time(change.modified(), node.modified, now);
    node.changed = now;
  }

  private void check(Object path, FileChange change) throws MillraceException {
    if (change.permissions().isPresent()) {
      caller.requireOwner(node, path);
    }
    if (change.owner().isPresent() && !change.owner().get().equals(node.owner)) {
      caller.requireAdministrator(path, "only the administrator gives files away");
    }
    if (change.group().isPresent()) {
      caller.requireOwner(node, path);
      if (!caller.groups().contains(change.group().get())) {
        caller.requireAdministrator(path, "caller is not in group " + change.group().get());
      }
    }
    if (change.size().isPresent()) {
      if (node.isDirectory()) {
        throw Refused.directory(path);
      }
      if (node.kind != FileKind.FILE) {
        throw Refused.invalid(path, "is a " + node.kind);
      }
      caller.require(node, Caller.WRITE, path);
    }
    checkTimes(path, change);
  }

  /** Now may be said by all who may write; another time by the owner. */
  private void checkTimes(Object path, FileChange change) throws MillraceException {
    boolean owner = caller.administrator() || node.owner.equals(caller.name());
    boolean none = change.accessed().isEmpty() && change.modified().isEmpty();
    if (owner || none) {
      return;
    }
    boolean now =
        change.accessed().orElse(0) == FileChange.NOW
            && change.modified().orElse(0) == FileChange.NOW;
    if (!now) {
      caller.requireOwner(node, path);
    }
    caller.require(node, Caller.WRITE, path);
  }

  private void resize(long bytes) {
    node.bytes.resize(bytes);
    store.touch(node);
  }

  private void dropSetBits() {
    node.permissions &= ~SET_USER;
    if ((node.permissions & GROUP_EXECUTES) != 0) {
      node.permissions &= ~SET_GROUP;
    }
  }

  /** Who is not in the group of a file cannot make it run as that group. */
  private int settable(int bits) {
    boolean member = caller.administrator() || caller.groups().contains(node.group);
    return bits & (member || node.isDirectory() ? 07777 : 07777 & ~SET_GROUP);
  }

  private static long time(OptionalLong given, long old, long now) {
    return given.isEmpty() ? old : given.getAsLong() == FileChange.NOW ? now : given.getAsLong();
  }
}
