package org.millrace.testing.files;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.millrace.files.FileKind;
import org.millrace.files.FileStatus;

/** A file, directory, link or special file. Guarded by the lock of the tree. */
final class MemoryNode {

  final long id;
  final FileKind kind;
  final TreeMap<String, MemoryNode> names = new TreeMap<>(MemoryNode::byBytes);
  final TreeMap<String, byte[]> attributes = new TreeMap<>();
  final MemoryBytes bytes = new MemoryBytes();
  final MemoryLocks locks = new MemoryLocks();

  int permissions;
  String owner = "";
  String group = "";
  String target = "";
  long device;
  long nameCount;
  int opens;
  long accessed;
  long modified;
  long changed;
  long created;

  /** Where a directory is; of no other. */
  @Nullable MemoryNode parent;

  MemoryNode(long id, FileKind kind) {
    this.id = id;
    this.kind = kind;
  }

  boolean isDirectory() {
    return kind == FileKind.DIRECTORY;
  }

  /** Whether this is a directory that {@code other} is in, or is. */
  boolean holds(MemoryNode other) {
    for (MemoryNode at = other; at != null; at = at.parent) {
      if (at == this) {
        return true;
      }
    }
    return false;
  }

  FileStatus status() {
    long size =
        switch (kind) {
          case FILE -> bytes.size();
          case LINK -> target.getBytes(StandardCharsets.UTF_8).length;
          default -> 0;
        };
    long links =
        isDirectory()
            ? (nameCount == 0
                ? 0
                : 2 + names.values().stream().filter(n -> n.isDirectory()).count())
            : nameCount;
    return new FileStatus(
        id,
        kind,
        permissions,
        owner,
        group,
        links,
        size,
        new FileStatus.Times(accessed, modified, changed, created),
        device);
  }

  private static int byBytes(String a, String b) {
    return Arrays.compareUnsigned(
        a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
  }
}
