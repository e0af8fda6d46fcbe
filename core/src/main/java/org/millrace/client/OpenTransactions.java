package org.millrace.client;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The transactions that a participant has begun and not ended. Safe for use by several threads. */
final class OpenTransactions {

  private final Set<Transaction> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean begun = new AtomicBoolean();

  void add(Transaction transaction) {
    open.add(transaction);
  }

  void remove(Transaction transaction) {
    open.remove(transaction);
  }

  /** Whether this is the first time that anybody asks. */
  boolean isFirst() {
    return begun.compareAndSet(false, true);
  }

  /** Refuses an access in atomic mode by a thread that would wait for its own transaction. */
  void checkApart(LockScope scope) {
    for (Transaction one : open) {
      if (one.isInTheWayOf(scope)) {
        throw new IllegalStateException(
            "bytes %s to %s are locked by this rank's own transaction: access them through it"
                .formatted(scope.range().offset(), scope.range().end()));
      }
    }
  }
}
