package org.millrace.node;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.CopySet;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.StrandId;

/**
 * The copies of a strand, as its owner knows them: which are in sync, which have missed something,
 * and the one that is being rebuilt.
 *
 * <pre>
 *   in sync --miss--> missed --leave, recorded--> missing --invite, rebuilt, join--> in sync
 * </pre>
 *
 * <p>Requests to a copy carry its <em>fence</em>: the epoch at which this owner took it for one of
 * its own. It rises each time that a copy was given up, so that requests of an earlier time that
 * come late are refused; and it does not rise when another copy is given up, so that those under
 * way are not.
 *
 * <p>Safe for use by several threads. No lock is held while the coordinator is asked but one that
 * only such calls take.
 */
final class CopyMembers {

  /** A copy on a node. */
  record Member(int node, long fence) {}

  // constant after construction
  private final CopiedStrands node;
  private final StrandId id;
  private final ReentrantLock asking = new ReentrantLock(); // held while the coordinator is asked
  private final ReentrantLock lock = new ReentrantLock();

  // written with asking held
  private volatile long epoch;

  private volatile boolean moved;

  // guarded by lock
  private final Map<Integer, Member> inSync = new LinkedHashMap<>(); // without this node
  private final TreeSet<Integer> missed = new TreeSet<>(); // of which the coordinator must hear
  private @Nullable Member joining;

  // guarded by asking
  private long invitedAt;

  CopyMembers(CopiedStrands node, StrandId id, CopySet set) {
    this.node = node;
    this.id = id;
    this.epoch = set.epoch();
    set.others().forEach(other -> inSync.put(other, new Member(other, set.epoch())));
  }

  /** Of the set, as the coordinator said last. */
  long epoch() {
    return epoch;
  }

  /** Those that hold all that was made durable. */
  List<Member> inSync() {
    lock.lock();
    try {
      return List.copyOf(inSync.values());
    } finally {
      lock.unlock();
    }
  }

  /** Those, and the one that is being rebuilt: all that get what is written. */
  List<Member> all() {
    lock.lock();
    try {
      List<Member> all = new ArrayList<>(inSync.values());
      if (joining != null) {
        all.add(joining);
      }
      return all;
    } finally {
      lock.unlock();
    }
  }

  boolean isJoining(Member copy) {
    lock.lock();
    try {
      return copy.equals(joining);
    } finally {
      lock.unlock();
    }
  }

  /** A copy has missed something, unless it was given up before and is another one since. */
  void miss(Member copy) {
    lock.lock();
    try {
      if (inSync.remove(copy.node, copy)) {
        missed.add(copy.node);
      } else if (copy.equals(joining)) {
        joining = null;
      }
    } finally {
      lock.unlock();
    }
  }

  /** A copy whose node has started since, and that is as it was, is taken again. */
  Member renew(Member copy) {
    Member fresh = new Member(copy.node, epoch);
    lock.lock();
    try {
      inSync.replace(copy.node, copy, fresh);
    } finally {
      lock.unlock();
    }
    return fresh;
  }

  /** Tells the coordinator which copies have missed something, if any have. */
  void leave() throws IOException {
    asking.lock();
    try {
      List<Integer> gone;
      lock.lock();
      try {
        gone = List.copyOf(missed);
      } finally {
        lock.unlock();
      }
      if (!gone.isEmpty()) {
        change(
            () -> new CoordinatorRequest.LeaveCopies(id, node.number(), epoch, gone),
            set -> set.inSync().stream().noneMatch(gone::contains));
        lock.lock();
        try {
          missed.removeAll(gone);
        } finally {
          lock.unlock();
        }
      }
    } finally {
      asking.unlock();
    }
  }

  /** A copy that is missing is to be made anew: what was sent to it before comes too late. */
  Member invite(int copy) throws IOException {
    asking.lock();
    try {
      leave();
      if (epoch <= invitedAt) {
        change(
            () -> new CoordinatorRequest.LeaveCopies(id, node.number(), epoch, List.of(copy)),
            set -> set.epoch() > invitedAt);
      }
      invitedAt = epoch;
      return new Member(copy, epoch);
    } finally {
      asking.unlock();
    }
  }

  /** From now on it gets what is written. */
  void setJoining(Member copy) {
    lock.lock();
    try {
      joining = copy;
    } finally {
      lock.unlock();
    }
  }

  /** The copy that was rebuilt holds all there is, durably. */
  void join(Member copy) throws IOException {
    asking.lock();
    try {
      change(
          () -> new CoordinatorRequest.JoinCopies(id, node.number(), epoch, copy.node),
          set -> set.inSync().contains(copy.node));
      lock.lock();
      try {
        if (copy.equals(joining)) {
          joining = null;
          inSync.put(copy.node, copy);
        } else { // it has missed something meanwhile
          missed.add(copy.node);
        }
      } finally {
        lock.unlock();
      }
    } finally {
      asking.unlock();
    }
  }

  /**
   * Has the coordinator change the set, unless it is so already: an answer may have been lost on
   * its way, and the owner may have started at another coordinator.
   */
  private void change(Supplier<CoordinatorRequest> request, Predicate<CopySet> isDone)
      throws IOException {
    while (true) {
      long before = epoch;
      try {
        adopt(((CoordinatorReply.CopiesAt) node.ask(request.get())).set());
        return;
      } catch (MillraceException e) {
        if (e.code() != ErrorCode.MOVED || moved) {
          throw e;
        }
        CopySet now = node.askSet(id);
        adopt(now);
        if (isDone.test(now)) {
          return;
        }
        if (now.epoch() == before) { // refused for another reason
          throw e;
        }
      }
    }
  }

  private void adopt(CopySet set) throws MillraceException {
    if (set.owner() != node.number()) {
      moved = true;
      node.onMoved(id);
      throw movedError("node " + set.owner() + " serves it since epoch " + set.epoch());
    }
    epoch = set.epoch();
  }

  private MillraceException movedError(String why) {
    return new MillraceException(ErrorCode.MOVED, id + " is not this node's any more: " + why);
  }

  /** Nothing that is not durable counts any more. */
  void depose() {
    moved = true;
  }

  boolean isDeposed() {
    return moved;
  }

  void requireOwned() throws MillraceException {
    if (moved) {
      throw movedError("it was lost for a while");
    }
  }
}
