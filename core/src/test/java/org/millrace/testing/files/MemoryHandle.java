package org.millrace.testing.files;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.ByteLock;
import org.millrace.files.FileHandle;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree.Opening;

/** An open file in memory. Safe for use by several threads: everything is under the tree's lock. */
final class MemoryHandle implements FileHandle {

  private static final long DAY = TimeUnit.DAYS.toNanos(1);

  private final MemoryTree session;
  private final MemoryStore store;
  private final MemoryNode node;
  private final Set<Opening> how;
  private final Set<Long> owners = new HashSet<>();
  private boolean closed;

  MemoryHandle(MemoryTree session, MemoryStore store, MemoryNode node, Set<Opening> how) {
    this.session = session;
    this.store = store;
    this.node = node;
    this.how = how;
    node.opens++;
  }

  @Override
  public long id() {
    return node.id;
  }

  @Override
  public FileStatus status() throws MillraceException {
    return underLock(Set.of(), node::status);
  }

  @Override
  public long size() throws MillraceException {
    return underLock(Set.of(), node.bytes::size);
  }

  @Override
  public long read(long position, MemorySegment into) throws MillraceException {
    checkPosition(position);
    return underLock(
        Set.of(Opening.READ),
        () -> {
          long now = store.now();
          boolean stale = node.accessed <= node.modified || now - node.accessed > DAY;
          node.accessed = stale ? now : node.accessed;
          return node.bytes.read(position, into);
        });
  }

  @Override
  public void write(long position, MemorySegment from) throws MillraceException {
    checkPosition(position);
    underLock(
        Set.of(Opening.WRITE),
        () -> {
          node.bytes.write(position, from);
          store.touch(node);
          return 0;
        });
  }

  @Override
  public long append(MemorySegment from) throws MillraceException {
    return underLock(
        Set.of(Opening.WRITE),
        () -> {
          long end = node.bytes.size();
          node.bytes.write(end, from);
          store.touch(node);
          return end;
        });
  }

  @Override
  public void resize(long bytes) throws MillraceException {
    checkPosition(bytes);
    underLock(
        Set.of(Opening.WRITE),
        () -> {
          node.bytes.resize(bytes);
          store.touch(node);
          return 0;
        });
  }

  @Override
  public void reserve(long position, long bytes, boolean lengthen) throws MillraceException {
    checkPosition(position);
    underLock(
        Set.of(Opening.WRITE),
        () -> {
          if (lengthen && position + bytes > node.bytes.size()) {
            node.bytes.resize(position + bytes);
          }
          store.touch(node);
          return 0;
        });
  }

  @Override
  public OptionalLong nextData(long position) throws MillraceException {
    checkPosition(position);
    return underLock(Set.of(), () -> node.bytes.nextData(position));
  }

  @Override
  public void force(boolean name) throws MillraceException {
    underLock(Set.of(), () -> 0);
  }

  @Override
  public boolean lock(ByteLock lock, long waitNanos) throws MillraceException {
    return underLock(
        Set.of(),
        () -> {
          long left = waitNanos;
          while (node.locks.conflict(session, lock).isPresent()) {
            if (left <= 0) {
              return false;
            }
            left = await(left);
          }
          node.locks.set(session, lock);
          owners.add(lock.owner());
          store.unlocked.signalAll();
          return true;
        });
  }

  @Override
  public Optional<ByteLock> conflict(ByteLock lock) throws MillraceException {
    return underLock(Set.of(), () -> node.locks.conflict(session, lock));
  }

  @Override
  public void unlockAll(long owner) throws MillraceException {
    underLock(
        Set.of(),
        () -> {
          node.locks.release(session, owner);
          store.unlocked.signalAll();
          return 0;
        });
  }

  @Override
  public void close() {
    store.lock.lock();
    try {
      if (!closed) {
        closed = true;
        owners.forEach(owner -> node.locks.release(session, owner));
        store.unlocked.signalAll();
        node.opens--;
        store.forget(node);
        session.closed(this);
      }
    } finally {
      store.lock.unlock();
    }
  }

  @SuppressWarnings("WaitNotInLoop") // the caller looks again
  private long await(long nanos) throws MillraceException {
    long left;
    try {
      left = store.unlocked.awaitNanos(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorCode.CLOSED, "interrupted while waiting for a lock", e);
    }
    if (closed) {
      throw Refused.closed(this);
    }
    return left;
  }

  private <T> T underLock(Set<Opening> needed, MemoryTree.Step<T> step) throws MillraceException {
    store.lock.lock();
    try {
      if (closed) {
        throw Refused.closed(this);
      }
      if (!how.containsAll(needed)) {
        throw Refused.permission(this, "was not opened to " + needed);
      }
      return step.run();
    } finally {
      store.lock.unlock();
    }
  }

  private static void checkPosition(long position) {
    if (position < 0) {
      throw new IllegalArgumentException("position " + position + ", must be at least 0");
    }
  }

  @Override
  public String toString() {
    return "handle of file " + node.id;
  }
}
