package org.millrace.testing.files;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.error.MillraceException;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;

/**
 * What all sessions share: the nodes by their ids, one lock for everything, one clock. All methods
 * are called with the lock held.
 */
final class MemoryStore {

  final ReentrantLock lock = new ReentrantLock();

  /** Signalled when locks of byte ranges are given back. */
  final Condition unlocked = lock.newCondition();

  private final Map<Long, MemoryNode> nodes = new HashMap<>();
  private long lastId = FilePath.ROOT;
  private long lastTime;

  MemoryStore(String owner, String group) {
    MemoryNode root = new MemoryNode(FilePath.ROOT, FileKind.DIRECTORY);
    root.permissions = 0755;
    root.owner = owner;
    root.group = group;
    root.nameCount = 1;
    root.created = root.changed = root.modified = root.accessed = now();
    nodes.put(root.id, root);
  }

  MemoryNode node(long id) throws MillraceException {
    MemoryNode node = nodes.get(id);
    if (node == null) {
      throw Refused.missing(FilePath.of(id));
    }
    return node;
  }

  MemoryNode root() throws MillraceException {
    return node(FilePath.ROOT);
  }

  MemoryNode make(FileKind kind) {
    MemoryNode node = new MemoryNode(++lastId, kind);
    node.created = node.changed = node.modified = node.accessed = now();
    nodes.put(node.id, node);
    return node;
  }

  /** Gives a node a name that is free. */
  void enter(MemoryNode directory, String name, MemoryNode node) {
    directory.names.put(name, node);
    node.nameCount++;
    if (node.isDirectory()) {
      node.parent = directory;
    }
    touch(directory);
    node.changed = now();
  }

  /** Takes a name away, and the node if it was the last and the node is not open. */
  void leave(MemoryNode directory, String name) {
    MemoryNode node = directory.names.remove(name);
    if (node != null) {
      node.nameCount--;
      touch(directory);
      node.changed = now();
      forget(node);
    }
  }

  /** Lets a node go that has no name and is not open. */
  void forget(MemoryNode node) {
    if (node.nameCount == 0 && node.opens == 0) {
      nodes.remove(node.id);
    }
  }

  void touch(MemoryNode node) {
    node.modified = node.changed = now();
  }

  long count() {
    return nodes.size();
  }

  /** Nanoseconds since 1970, later with each call. */
  long now() {
    Instant instant = Instant.now();
    lastTime =
        Math.max(lastTime + 1, instant.getEpochSecond() * 1_000_000_000L + instant.getNano());
    return lastTime;
  }
}
