package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;

/**
 * Named locks of ranges, the names being a formed group's own or those of files ({@link LockName}).
 * A request is granted when it conflicts with nothing held and with nothing asked for before it, so
 * nobody is overtaken for ever. Locks of a session that was lost stay where they are until nodes
 * refuse its writes ({@link Fences}).
 *
 * <p>Guarded by the coordinator's lock.
 */
final class Locks {

  // constant after construction
  private final Env env;
  private final Groups groups;
  private final WaitGraph graph;
  private final Bounds bounds;
  private final Transactions transactions;
  private final Fences fences;
  private final Timers timers;

  // guarded by the coordinator's lock
  private final Map<LockName, Queue> byName = new HashMap<>();
  private final Map<Long, Asked> held = new HashMap<>();
  private final Map<Long, Integer> bySession = new HashMap<>(); // how many it holds or asks for
  private final Map<Asked, Fences.Barrier> fenced = new LinkedHashMap<>(); // of lost sessions
  private boolean waitsForNodes; // some request may wait for nodes of an earlier life
  private long nextNumber = 1;

  Locks(
      Env env,
      Groups groups,
      WaitGraph graph,
      Bounds bounds,
      Transactions transactions,
      Fences fences,
      Timers timers) {
    this.fences = fences;
    this.timers = timers;
    this.transactions = transactions;
    this.bounds = bounds;
    this.env = env;
    this.groups = groups;
    this.graph = graph;
  }

  void onLock(Peer from, CoordinatorRequest.Lock lock, ReplyTo replyTo, Answers answers)
      throws MillraceException {
    Member member = groups.requireMember(from, lock.group(), lock.rank());
    if (lock.from() < 0 || lock.from() >= lock.to()) {
      throw new MillraceException(
          ErrorCode.INVALID, "lock range " + lock.from() + " to " + lock.to() + " is empty");
    }
    LockName name = LockName.of(member, lock.name());
    int had = bySession.getOrDefault(from.session(), 0);
    Bounds.check(had, bounds.locks(), "session " + from.session() + "'s list of locks");
    Asked asked = new Asked(this, name, nextNumber++, member, lock, replyTo, env.nanoTime());
    count(asked, 1);
    Queue queue = byName.computeIfAbsent(name, _ -> new Queue());
    queue.waiting.add(asked);
    graph.start(asked);
    grant(name, answers);
    if (queue.waiting.contains(asked)) {
      graph.breakCircle(asked, answers);
    }
    if (queue.waiting.contains(asked)) {
      inTheWay(asked).ifPresent(barrier -> awaitNodes(asked, barrier, answers));
    }
  }

  /** What nodes have to do before {@code asked} can be granted, also if locks are given back. */
  private Optional<Fences.Barrier> inTheWay(Asked asked) {
    for (Map.Entry<Asked, Fences.Barrier> lost : fenced.entrySet()) {
      Asked lock = lost.getKey();
      if (lock.name().equals(asked.name()) && lock.conflictsWith(asked)) {
        return Optional.of(lost.getValue());
      }
    }
    return asked.name().file().flatMap(fences::ofFile);
  }

  /** Lets a request wait for nodes, or fail if they had their time. */
  private void awaitNodes(Asked asked, Fences.Barrier barrier, Answers answers) {
    if (fences.isOverdue(barrier)) {
      fail(asked, fences.error(barrier), answers);
    } else if (!waitsForNodes) {
      waitsForNodes = true;
      refuseAt(barrier.overdueNanos());
    }
  }

  private void refuseAt(long deadlineNanos) {
    timers.after(Math.max(0, deadlineNanos - env.nanoTime()), this::refuseOverdue);
  }

  /** Fails requests that wait for nodes for too long. */
  private void refuseOverdue(Answers answers) {
    waitsForNodes = false;
    for (Queue queue : List.copyOf(byName.values())) {
      for (Asked asked : List.copyOf(queue.waiting)) {
        if (queue.waiting.contains(asked)) {
          inTheWay(asked).ifPresent(barrier -> awaitNodes(asked, barrier, answers));
        }
      }
    }
  }

  /** Nodes may have come further: gives lost sessions' locks to others, where that is safe now. */
  void onFenced(Answers answers) {
    if (fenced.isEmpty() && !waitsForNodes) {
      return;
    }
    for (Map.Entry<Asked, Fences.Barrier> lost : List.copyOf(fenced.entrySet())) {
      if (fences.isDone(lost.getValue())) {
        fenced.remove(lost.getKey());
        release(lost.getKey(), answers);
      }
    }
    List.copyOf(byName.keySet()).forEach(name -> grant(name, answers));
  }

  /** Whether anybody else would wait for a lock that a session holds alone, and for which. */
  List<Asked> exclusiveOf(long session) {
    return held.values().stream()
        .filter(lock -> lock.member().actor.peer.session() == session && !lock.lock().shared())
        .toList();
  }

  void onUnlock(Peer from, CoordinatorRequest.Unlock unlock, Answers answers)
      throws MillraceException {
    Asked lock = held.get(unlock.lock());
    if (lock == null || lock.member().actor.peer.session() != from.session()) {
      throw new MillraceException(
          ErrorCode.INVALID, "session " + from.session() + " does not hold lock " + unlock.lock());
    }
    release(lock, answers);
  }

  void onCancel(Peer from, CoordinatorRequest.CancelLock cancel, Answers answers)
      throws MillraceException {
    Member member = groups.requireMember(from, cancel.group(), cancel.rank());
    Queue queue = byName.get(LockName.asked(member, cancel.name()));
    if (queue == null) {
      return;
    }
    for (Asked asked : queue.waiting) {
      CoordinatorRequest.Lock lock = asked.lock();
      if (asked.member() == member && lock.from() == cancel.from() && lock.to() == cancel.to()) {
        fail(
            asked, new DeadlineException(member + " gave up waiting for " + asked.call()), answers);
        return;
      }
    }
  }

  /**
   * Gives back what a member that has just left held, and forgets what it asked for.
   *
   * @param barrier what nodes must have done before others get what it held alone
   */
  void onLeft(Member member, Optional<Fences.Barrier> barrier, Answers answers) {
    for (Queue queue : List.copyOf(byName.values())) {
      for (Asked asked : List.copyOf(queue.waiting)) {
        if (asked.member() == member) {
          fail(asked, new RankFailedException(member + " has ended"), answers);
        }
      }
      for (Asked lock : List.copyOf(queue.held)) {
        if (lock.member() == member) {
          if (barrier.isEmpty() || lock.lock().shared()) {
            release(lock, answers);
          } else if (fenced.put(lock, barrier.get()) == null) {
            refuseAt(barrier.get().overdueNanos());
          }
        }
      }
    }
  }

  /** All that are held, in the order of asking. */
  List<Asked> held() {
    return held.values().stream().sorted(Comparator.comparingLong(Asked::number)).toList();
  }

  /** Ends all waiting. */
  void failAll(MillraceException error, Answers answers) {
    for (Queue queue : List.copyOf(byName.values())) {
      for (Asked asked : List.copyOf(queue.waiting.reversed())) {
        fail(asked, error, answers);
      }
    }
  }

  void fail(Asked asked, MillraceException error, Answers answers) {
    Queue queue = byName.get(asked.name());
    if (queue != null && queue.waiting.remove(asked)) {
      count(asked, -1);
      graph.end(asked);
      answers.fail(asked.replyTo(), error);
      grant(asked.name(), answers);
    }
  }

  /**
   * Holders and earlier askers that {@code asked} conflicts with.
   *
   * @param lasting without holders that give their lock back without waiting for anybody
   */
  List<Member> blockersOf(Asked asked, boolean lasting) {
    List<Member> blockers = new ArrayList<>();
    Queue queue = byName.get(asked.name());
    if (queue == null) {
      return blockers;
    }
    for (Asked lock : queue.held) {
      if (lock.conflictsWith(asked) && !(lasting && lock.lock().brief())) {
        blockers.add(lock.member());
      }
    }
    for (Asked earlier : queue.waiting) {
      if (earlier == asked) {
        break;
      }
      if (earlier.conflictsWith(asked) && !waitsFor(earlier, asked, queue)) {
        blockers.add(earlier.member());
      }
    }
    return blockers;
  }

  private void release(Asked lock, Answers answers) {
    held.remove(lock.number());
    Queue queue = byName.get(lock.name());
    if (queue != null && queue.held.remove(lock)) {
      count(lock, -1);
      grant(lock.name(), answers);
    }
  }

  private void count(Asked asked, int change) {
    long session = asked.member().actor.peer.session();
    bySession.merge(session, change, (a, b) -> a + b == 0 ? null : a + b);
  }

  private void grant(LockName name, Answers answers) {
    Queue queue = byName.get(name);
    if (queue == null) {
      return;
    }
    if (!queue.waiting.isEmpty() && name.file().flatMap(fences::ofFile).isPresent()) {
      return; // nodes are still to be heard of
    }
    List<Asked> passed = new ArrayList<>();
    for (Iterator<Asked> all = queue.waiting.iterator(); all.hasNext(); ) {
      Asked asked = all.next();
      if (conflicts(asked, queue.held) || isBehind(asked, passed, queue)) {
        passed.add(asked);
        continue;
      }
      all.remove();
      queue.held.add(asked);
      held.put(asked.number(), asked);
      graph.end(asked);
      User user = User.of(asked.member().actor.peer);
      boolean unfinished =
          name.file().filter(file -> transactions.isUnfinished(file, user)).isPresent();
      answers.reply(asked.replyTo(), new CoordinatorReply.Locked(asked.number(), unfinished));
    }
    if (queue.held.isEmpty() && queue.waiting.isEmpty()) {
      byName.remove(name);
    }
  }

  private static boolean conflicts(Asked asked, List<Asked> others) {
    for (Asked other : others) {
      if (other.conflictsWith(asked)) {
        return true;
      }
    }
    return false;
  }

  /** Whether an earlier asker that could have its lock before {@code asked} keeps it waiting. */
  private static boolean isBehind(Asked asked, List<Asked> passed, Queue queue) {
    for (Asked earlier : passed) {
      if (earlier.conflictsWith(asked) && !waitsFor(earlier, asked, queue)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether an asker waits for a lock that another asker's session holds: it must not keep that
   * session, which wants more before it gives anything back, waiting in turn.
   */
  private static boolean waitsFor(Asked earlier, Asked asked, Queue queue) {
    long session = asked.member().actor.peer.session();
    for (Asked lock : queue.held) {
      if (lock.member().actor.peer.session() == session && lock.conflictsWith(earlier)) {
        return true;
      }
    }
    return false;
  }

  /** Locks of one name: those held, and those asked for in the order of asking. */
  private static final class Queue {
    final List<Asked> held = new ArrayList<>();
    final List<Asked> waiting = new ArrayList<>();
  }
}
