package org.millrace.testing.files;

import java.util.Optional;
import org.millrace.error.MillraceException;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree.Replacing;

/** One change of a name. Guarded by the lock of the tree. */
final class MemoryRename {

  private final MemoryStore store;
  private final Caller caller;
  private final Place from;
  private final Place to;

  MemoryRename(MemoryStore store, Caller caller, Place from, Place to) {
    this.store = store;
    this.caller = caller;
    this.from = from;
    this.to = to;
  }

  void run(FilePath fromPath, FilePath toPath, Replacing replacing) throws MillraceException {
    MemoryNode moved = from.require(fromPath);
    if (!from.isNamed() || !to.isNamed()) {
      throw Refused.invalid(from.isNamed() ? toPath : fromPath, "names nothing that can move");
    }
    Optional<MemoryNode> there = to.node();
    caller.requireRemoval(from.directory(), moved, fromPath);
    if (there.isPresent()) {
      caller.requireRemoval(to.directory(), there.get(), toPath);
    } else {
      caller.require(to.directory(), Caller.WRITE | Caller.SEARCH, toPath);
    }
    checkLoop(moved, to.directory(), toPath);
    if (to.slash() && !moved.isDirectory()) {
      throw Refused.notDirectory(fromPath);
    }
    if (to.directory().nameCount == 0) {
      throw Refused.missing(toPath);
    }
    switch (replacing) {
      case NEVER -> {
        if (there.isPresent()) {
          throw Refused.exists(toPath);
        }
        move(moved);
      }
      case REPLACE -> replace(moved, there, toPath);
      case EXCHANGE -> exchange(moved, to.require(toPath), fromPath);
    }
  }

  private void replace(MemoryNode moved, Optional<MemoryNode> there, FilePath toPath)
      throws MillraceException {
    if (there.isPresent()) {
      MemoryNode old = there.get();
      if (old == moved) {
        return;
      }
      if (moved.isDirectory() && !old.isDirectory()) {
        throw Refused.notDirectory(toPath);
      }
      if (!moved.isDirectory() && old.isDirectory()) {
        throw Refused.directory(toPath);
      }
      if (!old.names.isEmpty()) {
        throw Refused.notEmpty(toPath);
      }
      store.leave(to.directory(), to.name());
    }
    move(moved);
  }

  private void move(MemoryNode moved) {
    store.enter(to.directory(), to.name(), moved);
    store.leave(from.directory(), from.name());
  }

  private void exchange(MemoryNode moved, MemoryNode there, FilePath fromPath)
      throws MillraceException {
    checkLoop(there, from.directory(), fromPath);
    place(from, there);
    place(to, moved);
  }

  private void place(Place at, MemoryNode node) {
    at.directory().names.put(at.name(), node);
    if (node.isDirectory()) {
      node.parent = at.directory();
    }
    store.touch(at.directory());
    node.changed = store.now();
  }

  private static void checkLoop(MemoryNode moved, MemoryNode directory, FilePath path)
      throws MillraceException {
    if (moved.isDirectory() && moved.holds(directory)) {
      throw Refused.invalid(path, "is in the directory that would move there");
    }
  }
}
