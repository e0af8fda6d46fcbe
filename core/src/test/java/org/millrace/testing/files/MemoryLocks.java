package org.millrace.testing.files;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.files.ByteLock;
import org.millrace.files.ByteLock.Kind;

/** The locks of one file, as a list that is searched. Guarded by the lock of the tree. */
final class MemoryLocks {

  /** Owners of different sessions are different owners. */
  private record Held(Object session, ByteLock lock) {

    boolean isOf(Object otherSession, long owner) {
      return session == otherSession && lock.owner() == owner;
    }
  }

  private final List<Held> held = new ArrayList<>();

  Optional<ByteLock> conflict(Object session, ByteLock wanted) {
    return held.stream()
        .filter(other -> !other.isOf(session, wanted.owner()))
        .map(Held::lock)
        .filter(other -> overlap(other, wanted))
        .filter(other -> other.kind() == Kind.EXCLUSIVE || wanted.kind() == Kind.EXCLUSIVE)
        .filter(other -> wanted.kind() != Kind.NONE)
        .findFirst();
  }

  /** Replaces what the owner has in the range; the caller has seen that nothing conflicts. */
  void set(Object session, ByteLock lock) {
    List<Held> pieces = new ArrayList<>();
    for (Held old : List.copyOf(held)) {
      if (old.isOf(session, lock.owner()) && overlap(old.lock(), lock)) {
        held.remove(old);
        keepOutside(old, lock, pieces);
      }
    }
    held.addAll(pieces);
    if (lock.kind() != Kind.NONE) {
      held.add(new Held(session, lock));
    }
  }

  void release(Object session, long owner) {
    held.removeIf(lock -> lock.isOf(session, owner));
  }

  void release(Object session) {
    held.removeIf(lock -> lock.session() == session);
  }

  private static void keepOutside(Held old, ByteLock cut, List<Held> pieces) {
    ByteLock lock = old.lock();
    if (lock.from() < cut.from()) {
      pieces.add(piece(old, lock.from(), cut.from()));
    }
    if (end(lock) > end(cut)) {
      pieces.add(piece(old, end(cut), end(lock)));
    }
  }

  private static Held piece(Held of, long from, long end) {
    ByteLock lock = of.lock();
    long length = end == ByteLock.TO_THE_END ? end : end - from;
    return new Held(of.session(), new ByteLock(lock.owner(), from, length, lock.kind()));
  }

  private static boolean overlap(ByteLock a, ByteLock b) {
    return a.from() < end(b) && b.from() < end(a);
  }

  private static long end(ByteLock lock) {
    return lock.length() > ByteLock.TO_THE_END - lock.from()
        ? ByteLock.TO_THE_END
        : lock.from() + lock.length();
  }
}
