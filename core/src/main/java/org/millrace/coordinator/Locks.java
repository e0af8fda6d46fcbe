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
import org.millrace.protocol.Recalled;

/**
 * Named locks of ranges. A name belongs to a formed group or to a file ({@link LockName}). A
 * request is granted when it conflicts with no held lock and no earlier request, so none starves.
 * Locks of a lost session are kept until nodes refuse its writes ({@link Fences}).
 *
 * <p>Guarded by the coordinator's lock.
 */
final class Locks {

  // constant after construction
  private final Env env;
  private final Groups groups;
  private final WaitGraph graph;
  private final Quotas bounds;
  private final Transactions transactions;
  private final Fences fences;
  private final Timers timers;
  private final Life life;

  // guarded by the coordinator's lock
  private final Map<LockName, Queue> byName = new HashMap<>();
  private final Map<Long, LockRequest> held = new HashMap<>();
  private final Map<Long, Integer> bySession = new HashMap<>(); // how many it holds or asks for
  private final Map<LockRequest, Fences.Barrier> fenced = new LinkedHashMap<>(); // of lost sessions
  private boolean waitsForNodes; // some request may wait for nodes of an earlier epoch
  private long nextNumber;

  Locks(
      Env env,
      Groups groups,
      WaitGraph graph,
      Quotas bounds,
      Transactions transactions,
      Fences fences,
      Timers timers,
      Life life) {
    this.nextNumber = life.firstNumber();
    this.life = life;
    this.fences = fences;
    this.timers = timers;
    this.transactions = transactions;
    this.bounds = bounds;
    this.env = env;
    this.groups = groups;
    this.graph = graph;
  }

  void onLock(Peer from, CoordinatorRequest.Lock lock, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    GroupMember member = groups.requireMember(from, lock.group(), lock.rank());
    if (lock.from() < 0 || lock.from() >= lock.to()) {
      throw new MillraceException(
          ErrorCode.INVALID, "lock range " + lock.from() + " to " + lock.to() + " is empty");
    }
    LockName name = LockName.of(member, lock.name());
    int current = bySession.getOrDefault(from.session(), 0);
    Quotas.check(current, bounds.locks(), "session " + from.session() + "'s list of locks");
    LockRequest request =
        new LockRequest(this, name, nextNumber++, member, lock, replyTo, env.nanoTime());
    count(request, 1);
    Queue queue = byName.computeIfAbsent(name, _ -> new Queue());
    queue.waiting.add(request);
    graph.start(request);
    grant(name, answers);
    if (queue.waiting.contains(request)) {
      graph.breakCycle(request, answers);
    }
    if (queue.waiting.contains(request)) {
      inTheWay(request).ifPresent(barrier -> awaitNodes(request, barrier, answers));
    }
  }

  /** A lock that a member held when the coordinator was restarted. */
  void restore(GroupMember member, Recalled.HeldLock was) throws MillraceException {
    LockName name = LockName.of(member, was.lock().name());
    LockRequest lock =
        new LockRequest(
            this, name, was.number(), member, was.lock(), MeetingPart.NOBODY, env.nanoTime());
    Queue queue = byName.computeIfAbsent(name, _ -> new Queue());
    if (was.lock().from() < 0
        || was.lock().from() >= was.lock().to()
        || held.containsKey(was.number())
        || conflicts(lock, queue.held)) {
      throw new MillraceException(
          ErrorCode.INVALID, member + " cannot have held " + lock.call() + " before the restart");
    }
    count(lock, 1);
    queue.held.add(lock);
    held.put(was.number(), lock);
  }

  /** What nodes have to do before {@code request} can be granted, even if locks are released. */
  private Optional<Fences.Barrier> inTheWay(LockRequest request) {
    for (Map.Entry<LockRequest, Fences.Barrier> lost : fenced.entrySet()) {
      LockRequest lock = lost.getKey();
      if (lock.name().equals(request.name()) && lock.conflictsWith(request)) {
        return Optional.of(lost.getValue());
      }
    }
    return request.name().file().flatMap(fences::ofFile);
  }

  /** Lets a request wait for nodes, or fail if they had their time. */
  private void awaitNodes(LockRequest request, Fences.Barrier barrier, DeferredReplies answers) {
    if (fences.isOverdue(barrier)) {
      fail(request, fences.error(barrier), answers);
    } else if (!waitsForNodes) {
      waitsForNodes = true;
      refuseAt(barrier.overdueNanos());
    }
  }

  private void refuseAt(long deadlineNanos) {
    timers.after(Math.max(0, deadlineNanos - env.nanoTime()), this::refuseOverdue);
  }

  /** Fails requests that wait for nodes for too long. */
  private void refuseOverdue(DeferredReplies answers) {
    waitsForNodes = false;
    for (Queue queue : List.copyOf(byName.values())) {
      for (LockRequest request : List.copyOf(queue.waiting)) {
        if (queue.waiting.contains(request)) {
          inTheWay(request).ifPresent(barrier -> awaitNodes(request, barrier, answers));
        }
      }
    }
  }

  /** Nodes may have come further: gives lost sessions' locks to others, where that is safe now. */
  void onFenced(DeferredReplies answers) {
    if (fenced.isEmpty() && !waitsForNodes) {
      return;
    }
    for (Map.Entry<LockRequest, Fences.Barrier> lost : List.copyOf(fenced.entrySet())) {
      if (fences.isDone(lost.getValue())) {
        fenced.remove(lost.getKey());
        release(lost.getKey(), answers);
      }
    }
    List.copyOf(byName.keySet()).forEach(name -> grant(name, answers));
  }

  /** Whether others would wait for a lock that a session holds exclusively, and for which. */
  List<LockRequest> exclusiveOf(long session) {
    return held.values().stream()
        .filter(lock -> lock.member().actor.peer.session() == session && !lock.lock().shared())
        .toList();
  }

  void onUnlock(Peer from, CoordinatorRequest.Unlock unlock, DeferredReplies answers)
      throws MillraceException {
    LockRequest lock = held.get(unlock.lock());
    if (lock == null && life.isAfter(unlock.lock()) && life.isAfter(from.session())) {
      return; // it gave the lock back before the restart, and said no more that it has it
    }
    if (lock == null || lock.member().actor.peer.session() != from.session()) {
      throw new MillraceException(
          ErrorCode.INVALID, "session " + from.session() + " does not hold lock " + unlock.lock());
    }
    release(lock, answers);
  }

  void onCancel(Peer from, CoordinatorRequest.CancelLock cancel, DeferredReplies answers)
      throws MillraceException {
    GroupMember member = groups.requireMember(from, cancel.group(), cancel.rank());
    Queue queue = byName.get(LockName.requested(member, cancel.name()));
    if (queue == null) {
      return;
    }
    for (LockRequest request : queue.waiting) {
      CoordinatorRequest.Lock lock = request.lock();
      if (request.member() == member
          && lock.name().equals(cancel.name())
          && lock.from() == cancel.from()
          && lock.to() == cancel.to()) {
        fail(
            request,
            new DeadlineException(member + " gave up waiting for " + request.call()),
            answers);
        return;
      }
    }
  }

  /**
   * Releases the locks of a member that has just left, and drops its requests.
   *
   * @param barrier what nodes must have done before others get what it held alone
   */
  void onLeft(GroupMember member, Optional<Fences.Barrier> barrier, DeferredReplies answers) {
    for (Queue queue : List.copyOf(byName.values())) {
      for (LockRequest request : List.copyOf(queue.waiting)) {
        if (request.member() == member) {
          fail(request, new RankFailedException(member + " has ended"), answers);
        }
      }
      for (LockRequest lock : List.copyOf(queue.held)) {
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
  List<LockRequest> held() {
    return held.values().stream().sorted(Comparator.comparingLong(LockRequest::number)).toList();
  }

  /** Ends all waiting. */
  void failAll(MillraceException error, DeferredReplies answers) {
    for (Queue queue : List.copyOf(byName.values())) {
      for (LockRequest request : List.copyOf(queue.waiting.reversed())) {
        fail(request, error, answers);
      }
    }
  }

  void fail(LockRequest request, MillraceException error, DeferredReplies answers) {
    Queue queue = byName.get(request.name());
    if (queue != null && queue.waiting.remove(request)) {
      count(request, -1);
      graph.end(request);
      answers.fail(request.replyTo(), error);
      grant(request.name(), answers);
    }
  }

  /**
   * Holders and earlier requesters that {@code request} conflicts with.
   *
   * @param lasting without holders that release their lock without waiting for others
   */
  List<GroupMember> blockersOf(LockRequest request, boolean lasting) {
    List<GroupMember> blockers = new ArrayList<>();
    Queue queue = byName.get(request.name());
    if (queue == null) {
      return blockers;
    }
    for (LockRequest lock : queue.held) {
      if (lock.conflictsWith(request) && !(lasting && lock.lock().brief())) {
        blockers.add(lock.member());
      }
    }
    for (LockRequest earlier : queue.waiting) {
      if (earlier == request) {
        break;
      }
      if (earlier.conflictsWith(request) && !waitsFor(earlier, request, queue)) {
        blockers.add(earlier.member());
      }
    }
    return blockers;
  }

  private void release(LockRequest lock, DeferredReplies answers) {
    held.remove(lock.number());
    Queue queue = byName.get(lock.name());
    if (queue != null && queue.held.remove(lock)) {
      count(lock, -1);
      grant(lock.name(), answers);
    }
  }

  private void count(LockRequest request, int change) {
    long session = request.member().actor.peer.session();
    bySession.merge(session, change, (a, b) -> a + b == 0 ? null : a + b);
  }

  private void grant(LockName name, DeferredReplies answers) {
    Queue queue = byName.get(name);
    if (queue == null) {
      return;
    }
    if (!queue.waiting.isEmpty() && name.file().flatMap(fences::ofFile).isPresent()) {
      return; // nodes are still to be heard of
    }
    List<LockRequest> passed = new ArrayList<>();
    for (Iterator<LockRequest> all = queue.waiting.iterator(); all.hasNext(); ) {
      LockRequest request = all.next();
      if (conflicts(request, queue.held) || isBehind(request, passed, queue)) {
        passed.add(request);
        continue;
      }
      all.remove();
      queue.held.add(request);
      held.put(request.number(), request);
      graph.end(request);
      User user = User.of(request.member().actor.peer);
      boolean unfinished =
          name.file().filter(file -> transactions.isUnfinished(file, user)).isPresent();
      answers.reply(request.replyTo(), new CoordinatorReply.Locked(request.number(), unfinished));
    }
    if (queue.held.isEmpty() && queue.waiting.isEmpty()) {
      byName.remove(name);
    }
  }

  private static boolean conflicts(LockRequest request, List<LockRequest> others) {
    for (LockRequest other : others) {
      if (other.conflictsWith(request)) {
        return true;
      }
    }
    return false;
  }

  /** Whether an earlier request that could be granted before {@code request} keeps it waiting. */
  private static boolean isBehind(LockRequest request, List<LockRequest> passed, Queue queue) {
    for (LockRequest earlier : passed) {
      if (earlier.conflictsWith(request) && !waitsFor(earlier, request, queue)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether an asker waits for a lock that another asker's session holds: it must not keep that
   * session, which wants more before it gives anything back, waiting in turn.
   */
  private static boolean waitsFor(LockRequest earlier, LockRequest request, Queue queue) {
    long session = request.member().actor.peer.session();
    for (LockRequest lock : queue.held) {
      if (lock.member().actor.peer.session() == session && lock.conflictsWith(earlier)) {
        return true;
      }
    }
    return false;
  }

  /** Locks of one name: those held, and the waiting requests in order. */
  private static final class Queue {
    final List<LockRequest> held = new ArrayList<>();
    final List<LockRequest> waiting = new ArrayList<>();
  }
}
