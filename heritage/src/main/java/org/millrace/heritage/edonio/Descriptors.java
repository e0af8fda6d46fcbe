package org.millrace.heritage.edonio;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Rank;
import org.millrace.heritage.edonio.EdonioException.Reason;

/**
 * The open files of one rank by descriptor, which is the lowest number that is free: files are
 * opened and closed collectively, so it is the same on all ranks. Belongs to the rank's thread.
 */
final class Descriptors {

  private final List<@Nullable Descriptor> all = new ArrayList<>();

  int add(Descriptor made) {
    for (int fd = 0; fd < all.size(); fd++) {
      if (all.get(fd) == null) {
        all.set(fd, made);
        return fd;
      }
    }
    all.add(made);
    return all.size() - 1;
  }

  void remove(int fd) {
    all.set(fd, null);
  }

  Descriptor require(String call, int fd) throws EdonioException {
    Descriptor one = fd < 0 || fd >= all.size() ? null : all.get(fd);
    if (one == null) {
      throw new EdonioException(Reason.BAD_DESCRIPTOR, call + " of descriptor " + fd);
    }
    return one;
  }

  /** Forgets all and returns their paths. */
  List<String> removeAll() {
    List<String> paths = new ArrayList<>();
    for (Descriptor one : all) {
      if (one != null) {
        paths.add(one.path);
      }
    }
    all.clear();
    return paths;
  }

  /**
   * DONIO: lets the nodes' caches grow until this file, with {@code size} bytes, fits in beside the
   * others, and reads it in. All ranks come here together.
   */
  void takeIn(Rank rank, Descriptor made, long size) throws IOException {
    made.sized = Collections.max(rank.allGather(Math.max(size, made.sized)));
    long needed = made.mostBytesPerNode();
    for (Descriptor other : all) {
      needed += other == null || other == made ? 0 : other.mostBytesPerNode();
    }
    long limit = Collections.min(rank.allGather(rank.number() == 0 ? limit(rank) : needed));
    if (needed > limit) {
      rank.setCacheBytes(needed);
    }
    if (made.reads) {
      made.file.preload();
    }
  }

  /** The smallest cache of a node; 0 if that cannot be found out. */
  private static long limit(Rank rank) {
    try {
      return rank.report().stream()
          .mapToLong(node -> node.getOrDefault("limitBytes", 0L))
          .min()
          .orElse(0);
    } catch (IOException e) {
      return 0; // then the caches are set in any case, and that fails on all ranks if it must
    }
  }
}
