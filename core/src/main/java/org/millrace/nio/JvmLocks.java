package org.millrace.nio;

import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The locks that programs of this JVM hold or wait for through one file system: no two of a file
 * may overlap, as {@link java.nio.channels.FileLock} has it. Safe for use by several threads.
 */
final class JvmLocks {

  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<Long, List<ChannelLock>> byFile = new HashMap<>();

  void add(long file, ChannelLock added) {
    lock.lock();
    try {
      List<ChannelLock> all = byFile.computeIfAbsent(file, _ -> new ArrayList<>());
      if (all.stream().anyMatch(other -> other.overlaps(added.position(), added.size()))) {
        throw new OverlappingFileLockException();
      }
      all.add(added);
    } finally {
      lock.unlock();
    }
  }

  void remove(long file, ChannelLock removed) {
    lock.lock();
    try {
      List<ChannelLock> all = byFile.getOrDefault(file, new ArrayList<>());
      all.remove(removed);
      if (all.isEmpty()) {
        byFile.remove(file);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Those of one channel. */
  List<ChannelLock> of(long file, MillraceChannel channel) {
    lock.lock();
    try {
      return byFile.getOrDefault(file, List.of()).stream()
          .filter(one -> one.acquiredBy() == channel)
          .toList();
    } finally {
      lock.unlock();
    }
  }
}
