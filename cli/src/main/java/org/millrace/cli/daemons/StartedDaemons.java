package org.millrace.cli.daemons;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The daemons that {@code millrace up} has started, until it says that they are to be kept: if it
 * fails or is itself ended before, they end.
 *
 * <p>Used by one thread and, if the JVM ends, by that. Closing ends those that are not kept.
 */
final class StartedDaemons implements AutoCloseable {

  // constant after construction
  private final Daemons daemons;
  private final Thread hook;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<String, Process> started = new LinkedHashMap<>();
  private boolean over;

  StartedDaemons(Daemons daemons) {
    this.daemons = daemons;
    // Not from env: the JVM itself starts it, and only wants to be given it unstarted.
    this.hook = Thread.ofPlatform().name("stop").unstarted(this::end);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Starts a daemon, unless it runs. */
  void start(String daemon, List<String> args) throws IOException {
    lock.lock();
    try {
      if (over) {
        throw new IOException("asked to end before " + daemon + " was started");
      }
      if (daemons.process(daemon).isEmpty()) {
        started.put(daemon, daemons.start(daemon, args));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Those that were started, by name. */
  Map<String, Process> all() {
    lock.lock();
    try {
      return new LinkedHashMap<>(started);
    } finally {
      lock.unlock();
    }
  }

  /** Those that were started and have ended again. */
  List<String> ended() {
    return all().entrySet().stream()
        .filter(one -> !one.getValue().isAlive())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** They are on their own from now on; returns how many they are. */
  int keep() throws IOException {
    lock.lock();
    try {
      if (over) {
        throw new IOException("asked to end");
      }
      over = true;
      return started.size();
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      if (!over) {
        over = true;
        started.values().forEach(Process::destroy);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM has begun to end; the hook finds nothing left to do
    }
  }
}
