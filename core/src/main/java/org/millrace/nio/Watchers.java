package org.millrace.nio;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The watch services of a file system, which end with it. Safe for use by several threads. */
final class Watchers {

  private final Set<PollingWatchService> all = ConcurrentHashMap.newKeySet();

  PollingWatchService add(PollingWatchService watcher) {
    all.add(watcher);
    return watcher;
  }

  void remove(PollingWatchService watcher) {
    all.remove(watcher);
  }

  void close() {
    all.forEach(PollingWatchService::close);
  }
}
