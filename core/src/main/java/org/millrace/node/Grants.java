package org.millrace.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.message.KeyTable;
import org.millrace.protocol.Holder;

/**
 * A session's rights by file, for a limited number of files. When there are more, it drops expired
 * ones, or else the one that expires first; its user presents the capability again.
 *
 * <p>Looking up takes no lock and allocates nothing. Safe for use by several threads.
 */
final class Grants {

  // constant after construction
  final Usage usage;
  final Holder holder;
  final WriteGate gate;
  private final int max;
  private final KeyTable<Grant> byFile = new KeyTable<>();
  private final ReentrantLock lock = new ReentrantLock(); // makes looking and adding one step

  /**
   * Nothing shown yet.
   *
   * @param gate of the holder, in whose name the session writes
   */
  Grants(Usage usage, Holder holder, WriteGate gate, int max) {
    this.usage = usage;
    this.holder = holder;
    this.gate = gate;
    this.max = max;
  }

  @Nullable Grant of(long file) {
    return byFile.get(file);
  }

  void add(Grant grant, long nowMillis) {
    lock.lock();
    try {
      Grant before = byFile.get(grant.file());
      if (before == null && byFile.size() >= max) {
        makeRoom(nowMillis);
      }
      byFile.put(grant.file(), before == null ? grant : before.and(grant));
    } finally {
      lock.unlock();
    }
  }

  /** Takes back what one open allows. */
  void remove(long open) {
    lock.lock();
    try {
      List<Grant> changed = new ArrayList<>();
      byFile.forEach(
          grant -> {
            if (grant.without(open).filter(left -> left == grant).isEmpty()) {
              changed.add(grant);
            }
          });
      for (Grant grant : changed) {
        Optional<Grant> left = grant.without(open);
        if (left.isPresent()) {
          byFile.put(grant.file(), left.get());
        } else {
          byFile.remove(grant.file());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void makeRoom(long nowMillis) {
    Soonest soonest = new Soonest();
    byFile.forEach(soonest::see);
    byFile.removeIf(one -> one == soonest.found || until(one) <= nowMillis);
  }

  private static long until(Grant grant) {
    return grant.untilMillis(Grant.Right.EITHER);
  }

  /** Finds the grant that ends first. */
  private static final class Soonest {
    @Nullable Grant found;

    void see(Grant grant) {
      if (found == null || until(grant) < until(found)) {
        found = grant;
      }
    }
  }
}
