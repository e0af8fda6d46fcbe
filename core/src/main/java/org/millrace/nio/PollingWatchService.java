package org.millrace.nio;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.files.FileStatus;

/**
 * Watches directories by looking at them again and again: nobody tells clients what others change.
 * A change that is undone between two looks is not seen. Safe for use by several threads; closing
 * is idempotent.
 */
final class PollingWatchService implements WatchService {

  private static final long LOOK_NANOS = 1_000_000_000L;
  private static final long TURN_NANOS = 50_000_000L; // interrupts are noticed between turns

  // constant after construction
  private final MillraceFileSystem fileSystem;
  private final Env env;
  private final Map<Long, PollingKey> byDirectory = new ConcurrentHashMap<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;
  private final SignalledKeys signalled = new SignalledKeys();

  // guarded by lock
  private boolean looking;

  PollingWatchService(MillraceFileSystem fileSystem) {
    this.fileSystem = fileSystem;
    this.env = fileSystem.env();
    this.changed = env.signal(lock);
  }

  boolean watches(MillraceFileSystem other) {
    return fileSystem == other;
  }

  WatchKey register(MillracePath directory, List<WatchEvent.Kind<?>> kinds) throws IOException {
    if (closed.get()) {
      throw new ClosedWatchServiceException();
    }
    checkKinds(kinds);
    FileStatus status = fileSystem.call(directory, tree -> tree.stat(directory.inTree()));
    Snapshot now = Snapshot.of(directory, status.id());
    PollingKey key =
        byDirectory.computeIfAbsent(status.id(), id -> new PollingKey(this, directory, id));
    key.watch(kinds, now);
    begin();
    return key;
  }

  private static void checkKinds(List<WatchEvent.Kind<?>> kinds) {
    List<WatchEvent.Kind<?>> known =
        List.of(
            StandardWatchEventKinds.ENTRY_CREATE,
            StandardWatchEventKinds.ENTRY_DELETE,
            StandardWatchEventKinds.ENTRY_MODIFY,
            StandardWatchEventKinds.OVERFLOW);
    if (kinds.stream().allMatch(StandardWatchEventKinds.OVERFLOW::equals)) {
      throw new IllegalArgumentException("no events to watch for");
    }
    for (WatchEvent.Kind<?> kind : kinds) {
      if (!known.contains(kind)) {
        throw new UnsupportedOperationException("events of kind " + kind.name());
      }
    }
  }

  private void begin() {
    lock.lock();
    try {
      if (!looking) {
        looking = true;
        env.start(ThreadKind.SERVICE, "watch of " + fileSystem, this::look);
      }
    } finally {
      lock.unlock();
    }
  }

  private void look() {
    while (pause()) {
      byDirectory.values().forEach(PollingKey::look);
    }
  }

  /** Waits until the next look; false when this is closed. */
  private boolean pause() {
    lock.lock();
    try {
      long next = env.deadlineAfter(LOOK_NANOS);
      while (!closed.get() && changed.await(next)) {
        // until the time has come
      }
      return !closed.get();
    } finally {
      lock.unlock();
    }
  }

  /** A key is over; another one may watch its directory meanwhile. */
  void forget(long directory, PollingKey key) {
    byDirectory.remove(directory, key);
  }

  void signal(PollingKey key) {
    lock.lock();
    try {
      signalled.add(key);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable WatchKey poll() {
    lock.lock();
    try {
      checkOpen();
      return signalled.poll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable WatchKey poll(long timeout, TimeUnit unit) throws InterruptedException {
    return await(env.deadlineAfter(unit.toNanos(timeout)));
  }

  @Override
  public WatchKey take() throws InterruptedException {
    while (true) {
      WatchKey key = await(Env.NEVER);
      if (key != null) {
        return key;
      }
    }
  }

  private @Nullable WatchKey await(long deadline) throws InterruptedException {
    lock.lock();
    try {
      while (true) {
        checkOpen();
        WatchKey key = signalled.poll();
        if (key != null || env.nanoTime() >= deadline) {
          return key;
        }
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        changed.await(Math.min(deadline, env.deadlineAfter(TURN_NANOS)));
      }
    } finally {
      lock.unlock();
    }
  }

  private void checkOpen() {
    if (closed.get()) {
      throw new ClosedWatchServiceException();
    }
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      fileSystem.forget(this);
      byDirectory.values().forEach(PollingKey::cancel);
      lock.lock();
      try {
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
