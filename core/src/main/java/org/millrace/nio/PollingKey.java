package org.millrace.nio;

import java.io.IOException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.Watchable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A directory that is watched. Safe for use by several threads. */
final class PollingKey implements WatchKey {

  private static final int MAX_EVENTS = 512;

  // constant after construction
  private final PollingWatchService service;
  private final MillracePath directory;
  private final long id;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private List<WatchEvent.Kind<?>> kinds = List.of();
  private Snapshot last = new Snapshot(Map.of());
  private List<WatchEvent<?>> events = new ArrayList<>();
  private boolean signalled;
  private boolean cancelled;

  PollingKey(PollingWatchService service, MillracePath directory, long id) {
    this.service = service;
    this.directory = directory;
    this.id = id;
  }

  /**
   * Something that happened.
   *
   * @param kind what
   * @param count how often
   * @param context the name; null if too much happened
   */
  private record Event<T>(WatchEvent.Kind<T> kind, int count, @Nullable T context)
      implements WatchEvent<T> {}

  /** Looks for these events from now on; what was watched before is compared with as it was. */
  void watch(List<WatchEvent.Kind<?>> newKinds, Snapshot now) {
    lock.lock();
    try {
      last = kinds.isEmpty() ? now : last;
      kinds = List.copyOf(newKinds);
    } finally {
      lock.unlock();
    }
  }

  /** Compares the directory with what it was at the last look. */
  void look() {
    Snapshot now;
    boolean gone = false;
    try {
      now = Snapshot.of(directory, id);
    } catch (NoSuchFileException | ClosedFileSystemException e) {
      now = new Snapshot(Map.of());
      gone = true;
    } catch (IOException e) {
      return; // it cannot be seen for now
    }
    boolean found;
    lock.lock();
    try {
      int before = events.size();
      compare(last, now);
      last = now;
      found = !cancelled && (gone || events.size() > before) && !signalled;
      cancelled |= gone;
      signalled |= found;
    } finally {
      lock.unlock();
    }
    if (gone) {
      service.forget(id, this);
    }
    if (found) {
      service.signal(this);
    }
  }

  private void compare(Snapshot before, Snapshot after) {
    before
        .entries()
        .forEach(
            (name, state) -> {
              Snapshot.State now = after.entries().get(name);
              if (now == null || now.id() != state.id()) {
                add(StandardWatchEventKinds.ENTRY_DELETE, name);
              } else if (!now.equals(state)) {
                add(StandardWatchEventKinds.ENTRY_MODIFY, name);
              }
            });
    after
        .entries()
        .forEach(
            (name, state) -> {
              Snapshot.State old = before.entries().get(name);
              if (old == null || old.id() != state.id()) {
                add(StandardWatchEventKinds.ENTRY_CREATE, name);
              }
            });
  }

  private void add(WatchEvent.Kind<Path> kind, String name) {
    if (!kinds.contains(kind)) {
      return;
    }
    if (events.size() >= MAX_EVENTS) {
      events.clear();
      events.add(new Event<>(StandardWatchEventKinds.OVERFLOW, 1, null));
    } else if (events.isEmpty() || events.getFirst().kind() != StandardWatchEventKinds.OVERFLOW) {
      events.add(new Event<>(kind, 1, directory.fileSystem().getPath(name)));
    }
  }

  @Override
  public boolean isValid() {
    lock.lock();
    try {
      return !cancelled;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<WatchEvent<?>> pollEvents() {
    lock.lock();
    try {
      List<WatchEvent<?>> taken = events;
      events = new ArrayList<>();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean reset() {
    boolean again;
    lock.lock();
    try {
      again = !cancelled && !events.isEmpty();
      signalled = again;
      if (cancelled) {
        return false;
      }
    } finally {
      lock.unlock();
    }
    if (again) {
      service.signal(this);
    }
    return true;
  }

  @Override
  public void cancel() {
    lock.lock();
    try {
      cancelled = true;
    } finally {
      lock.unlock();
    }
    service.forget(id, this);
  }

  @Override
  public Watchable watchable() {
    return directory;
  }
}
