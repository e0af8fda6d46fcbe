package org.millrace.nio;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Keys with events that nobody has taken, the oldest first. Guarded by the service's lock. */
final class SignalledKeys {

  private final Set<PollingKey> keys = new LinkedHashSet<>();

  void add(PollingKey key) {
    keys.add(key);
  }

  @Nullable PollingKey poll() {
    PollingKey first = keys.isEmpty() ? null : keys.iterator().next();
    if (first != null) {
      keys.remove(first);
    }
    return first;
  }
}
