package org.millrace.coordinator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.millrace.error.DeadlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.ByteLock;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.ByteRanges;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest.OfBytes;
import org.millrace.protocol.Recalled;

/**
 * Locks of bytes of files, as POSIX has them, for programs that are no ranks. An owner is a number
 * of a session. An owner's locks replace, join and split each other; those of different owners
 * conflict where they overlap and one is exclusive. Ranks have {@link Locks}, which know nothing of
 * these, nor these of them.
 *
 * <p>A request that must wait is granted as soon as nothing that is held conflicts with it, the
 * earliest first. So a stream of shared locks can keep an exclusive one waiting, as it can
 * elsewhere; but an owner that upgrades a lock never waits for one who waits for it. A request that
 * would close a circle of owners who wait for each other is refused: as elsewhere an owner counts
 * as waiting when one of its threads is.
 *
 * <p>Exclusive locks of a lost session are kept until nodes refuse its writes ({@link Fences}).
 *
 * <p>Guarded by the coordinator's lock.
 */
final class ByteLocks {

  private record Owner(long session, long number) {}

  /** A request that waits. */
  private static final class Waiting {
    final long open;
    final long file;
    final Owner owner;
    final ByteLock lock;
    final ReplyTo replyTo;
    Timers.@Nullable Timer timer;

    Waiting(long open, long file, Owner owner, ByteLock lock, ReplyTo replyTo) {
      this.open = open;
      this.file = file;
      this.owner = owner;
      this.lock = lock;
      this.replyTo = replyTo;
    }
  }

  /** What an owner has locked of a file, and by way of which opens of it. */
  private static final class Holding {
    final ByteRanges ranges = new ByteRanges();
    final Set<Long> opens = new TreeSet<>();
  }

  // constant after construction
  private final SessionGroups opens;
  private final Quotas bounds;
  private final Fences fences;
  private final Timers timers;

  // guarded by the coordinator's lock
  private final Map<Long, Map<Owner, Holding>> held = new HashMap<>(); // by file
  private final List<Waiting> waiting = new ArrayList<>(); // in the order of asking
  private final Map<Long, Integer> ranges = new HashMap<>(); // how many, by session
  private final Map<Long, Fences.Barrier> lost = new LinkedHashMap<>(); // by session

  ByteLocks(SessionGroups opens, Quotas bounds, Fences fences, Timers timers) {
    this.opens = opens;
    this.bounds = bounds;
    this.fences = fences;
    this.timers = timers;
  }

  void on(Peer from, OfBytes request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    switch (request) {
      case OfBytes.LockBytes(long open, ByteLock lock, long waitNanos) ->
          lock(
              new Waiting(open, file(from, open), owner(from, lock), lock, replyTo),
              waitNanos,
              answers);
      case OfBytes.AskConflict(long open, ByteLock lock) ->
          answers.reply(
              replyTo,
              new CoordinatorReply.Conflict(conflict(file(from, open), owner(from, lock), lock)));
      case OfBytes.UnlockBytes(long open, long number) -> {
        long file = file(from, open);
        remove(file, new Owner(from.session(), number));
        grant(file, answers);
        answers.reply(replyTo, new CoordinatorReply.Done());
      }
    }
  }

  private long file(Peer peer, long open) throws MillraceException {
    return opens.require(peer, open).file();
  }

  private static Owner owner(Peer from, ByteLock lock) {
    return new Owner(from.session(), lock.owner());
  }

  private void lock(Waiting request, long waitNanos, DeferredReplies answers)
      throws MillraceException {
    if (request.lock.kind() == ByteLock.Kind.NONE) {
      checkMayGiveBack(request);
      set(request);
      grant(request.file, answers);
      answers.reply(request.replyTo, new CoordinatorReply.Value(1));
      return;
    }
    long session = request.owner.session;
    int pending = (int) waiting.stream().filter(one -> one.owner.session == session).count();
    checkRoom(session, pending);
    if (isFree(request)) {
      set(request);
      grant(request.file, answers); // what was exclusive may be shared now
      answers.reply(request.replyTo, new CoordinatorReply.Value(1));
    } else if (waitNanos <= 0 && fences.ofFile(request.file).isEmpty()) {
      answers.reply(request.replyTo, new CoordinatorReply.Value(0));
    } else if (closesCircle(request)) {
      throw new DeadlockException(
          "owner %s of session %s and others would wait for each other's locked bytes for ever"
              .formatted(request.owner.number, session));
    } else {
      waiting.add(request);
      long patience = Math.max(waitNanos, waitNanos <= 0 ? Fences.OVERDUE_NANOS : 0);
      request.timer = timers.after(patience, late -> giveUp(request, late));
    }
  }

  private void checkRoom(long session, int pending) throws MillraceException {
    Quotas.check(
        ranges.getOrDefault(session, 0) + pending,
        bounds.locks(),
        "session " + session + "'s list of locked bytes");
  }

  /** Giving back the middle of a range leaves two: without a bound there could be any number. */
  private void checkMayGiveBack(Waiting request) throws MillraceException {
    Holding own = held.getOrDefault(request.file, Map.of()).get(request.owner);
    if (own != null && own.ranges.isSplitBy(request.lock)) {
      checkRoom(request.owner.session, 0);
    }
  }

  private boolean isFree(Waiting request) {
    return fences.ofFile(request.file).isEmpty()
        && conflict(request.file, request.owner, request.lock).isEmpty();
  }

  private Optional<ByteLock> conflict(long file, Owner owner, ByteLock lock) {
    for (Map.Entry<Owner, Holding> other : held.getOrDefault(file, Map.of()).entrySet()) {
      if (!other.getKey().equals(owner)) {
        Optional<ByteLock> found = other.getValue().ranges.conflict(lock, other.getKey().number);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private Holding set(Waiting request) {
    Map<Owner, Holding> ofFile = held.computeIfAbsent(request.file, _ -> new LinkedHashMap<>());
    Holding own = ofFile.computeIfAbsent(request.owner, _ -> new Holding());
    int before = own.ranges.size();
    own.ranges.set(request.lock);
    count(request.owner, own.ranges.size() - before);
    if (own.ranges.isEmpty()) {
      remove(request.file, request.owner);
    } else if (request.lock.kind() != ByteLock.Kind.NONE) {
      own.opens.add(request.open);
    }
    return own;
  }

  private void count(Owner owner, int change) {
    ranges.merge(owner.session, change, (a, b) -> a + b == 0 ? null : a + b);
    ranges.remove(owner.session, 0);
  }

  private void remove(long file, Owner owner) {
    Map<Owner, Holding> ofFile = held.get(file);
    Holding own = ofFile == null ? null : ofFile.remove(owner);
    if (own != null) {
      count(owner, -own.ranges.size());
    }
    if (ofFile != null && ofFile.isEmpty()) {
      held.remove(file);
    }
  }

  /** Grants what can be granted of a file, the earliest first. */
  private void grant(long file, DeferredReplies answers) {
    Optional<Waiting> next = firstFree(file);
    while (next.isPresent()) { // it may share now what it had alone: others can be free by that
      set(next.get());
      end(next.get());
      answers.reply(next.get().replyTo, new CoordinatorReply.Value(1));
      next = firstFree(file);
    }
  }

  private Optional<Waiting> firstFree(long file) {
    return waiting.stream().filter(one -> one.file == file && isFree(one)).findFirst();
  }

  private void end(Waiting request) {
    waiting.remove(request);
    Timers.Timer timer = request.timer;
    if (timer != null) {
      timers.cancel(timer);
    }
  }

  private void giveUp(Waiting request, DeferredReplies answers) {
    Optional<Fences.Barrier> barrier = barrier(request);
    end(request);
    if (barrier.filter(fences::isOverdue).isPresent()) {
      answers.fail(request.replyTo, fences.error(barrier.get()));
    } else {
      answers.reply(request.replyTo, new CoordinatorReply.Value(0));
    }
  }

  /** What nodes have to do before a request can be granted, if others give back what they have. */
  private Optional<Fences.Barrier> barrier(Waiting request) {
    for (Owner owner : blockers(request)) {
      Fences.Barrier kept = lost.get(owner.session);
      if (kept != null) {
        return Optional.of(kept);
      }
    }
    return fences.ofFile(request.file);
  }

  /** Whether a request would wait, by way of others, for its own owner. */
  private boolean closesCircle(Waiting request) {
    Set<Owner> seen = new HashSet<>();
    Deque<Owner> next = new ArrayDeque<>(blockers(request));
    while (!next.isEmpty()) {
      Owner owner = next.remove();
      if (owner.equals(request.owner)) {
        return true;
      }
      if (seen.add(owner)) {
        waiting.stream()
            .filter(one -> one.owner.equals(owner))
            .forEach(one -> next.addAll(blockers(one)));
      }
    }
    return false;
  }

  private List<Owner> blockers(Waiting request) {
    List<Owner> found = new ArrayList<>();
    held.getOrDefault(request.file, Map.of())
        .forEach(
            (owner, own) -> {
              if (!owner.equals(request.owner)
                  && own.ranges.conflict(request.lock, owner.number).isPresent()) {
                found.add(owner);
              }
            });
    return found;
  }

  /** Files of which a session has locked bytes exclusively. */
  Set<Long> exclusiveOf(long session) {
    Set<Long> files = new TreeSet<>();
    held.forEach(
        (file, ofFile) ->
            ofFile.forEach(
                (owner, own) -> {
                  if (owner.session == session && own.ranges.isExclusive()) {
                    files.add(file);
                  }
                }));
    return files;
  }

  /**
   * A session is about to close a file: what waits by way of that open is refused, and owners who
   * have locked bytes by way of no other one give them back. A lock that a program waited for while
   * it closed the file would else be granted later, and be nobody's to give back.
   */
  void onClosing(Peer from, long open, DeferredReplies answers) {
    Open closing = opens.find(from).map(group -> group.opens.get(open)).orElse(null);
    if (closing == null) {
      return;
    }
    for (Waiting request : List.copyOf(waiting)) {
      if (request.open == open) {
        end(request);
        answers.fail(
            request.replyTo, new MillraceException(ErrorCode.CLOSED, "the file was closed"));
      }
    }
    long file = closing.file();
    for (Map.Entry<Owner, Holding> each :
        List.copyOf(held.getOrDefault(file, Map.of()).entrySet())) {
      Set<Long> by = each.getValue().opens;
      if (by.remove(open) && by.isEmpty()) {
        remove(file, each.getKey());
      }
    }
    grant(file, answers);
  }

  /**
   * A session has ended: gives back its locks.
   *
   * @param barrier what nodes must have done before others get what it held alone
   */
  void onSessionEnd(Peer from, Optional<Fences.Barrier> barrier, DeferredReplies answers) {
    long session = from.session();
    for (Waiting request : List.copyOf(waiting)) {
      if (request.owner.session == session) {
        end(request);
        answers.fail(
            request.replyTo, new MillraceException(ErrorCode.CLOSED, "its session has ended"));
      }
    }
    barrier.ifPresent(kept -> lost.put(session, kept));
    giveBack(session, barrier.isEmpty(), answers);
  }

  private void giveBack(long session, boolean all, DeferredReplies answers) {
    if (!ranges.containsKey(session)) {
      lost.remove(session);
      return;
    }
    for (long file : List.copyOf(held.keySet())) {
      Map<Owner, Holding> ofFile = held.getOrDefault(file, Map.of());
      for (Map.Entry<Owner, Holding> each : List.copyOf(ofFile.entrySet())) {
        if (each.getKey().session == session && (all || !each.getValue().ranges.isExclusive())) {
          remove(file, each.getKey());
        }
      }
      grant(file, answers);
    }
  }

  /** Nodes may have come further. */
  void onFenced(DeferredReplies answers) {
    for (Map.Entry<Long, Fences.Barrier> each : List.copyOf(lost.entrySet())) {
      if (fences.isDone(each.getValue())) {
        lost.remove(each.getKey());
        giveBack(each.getKey(), true, answers);
      }
    }
    waiting.stream().map(one -> one.file).distinct().toList().forEach(file -> grant(file, answers));
  }

  /**
   * Bytes that a session had locked when the coordinator was restarted, if that can be. By way of
   * which of its opens is not known: it may have been any.
   */
  void restore(Peer peer, Recalled.HeldBytes was) throws MillraceException {
    long file = file(peer, was.open());
    Owner owner = owner(peer, was.lock());
    if (was.lock().kind() == ByteLock.Kind.NONE || conflict(file, owner, was.lock()).isPresent()) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "session " + peer.session() + " cannot have locked " + was.lock() + " before");
    }
    Holding own = set(new Waiting(was.open(), file, owner, was.lock(), MeetingPart.NOBODY));
    for (Open open : opens.find(peer).orElseThrow().opens.values()) {
      if (open.file() == file) {
        own.opens.add(open.number());
      }
    }
  }

  /** Ends all waiting. */
  void failAll(MillraceException error, DeferredReplies answers) {
    for (Waiting request : List.copyOf(waiting)) {
      end(request);
      answers.fail(request.replyTo, error);
    }
  }
}
