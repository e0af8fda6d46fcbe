package org.millrace.coordinator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.millrace.error.DeadlockException;

/**
 * Which actor waits for which, in meetings and for locks alike. An actor is stuck if each of its
 * threads waits in a request, and each request waits for all of its blockers. So a set of stuck
 * actors in which every request waits for one of the set is a deadlock. Only a new wait can
 * complete such a set, and its actor is then in the set. So it is enough to follow the waits from
 * that actor, and to remove actors that can still proceed until nothing changes. A breadth-first
 * search finds a shortest cycle in the rest.
 *
 * <p>Waits for messages are shown, and are no part of a cycle: another thread of the awaited rank
 * may send.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class WaitGraph {

  // guarded by the coordinator's lock
  private int waits;

  void start(WaitingRequest waiting) {
    waiting.member().actor.waits.add(waiting);
    waits++;
  }

  void end(WaitingRequest waiting) {
    if (waiting.member().actor.waits.remove(waiting)) {
      waits--;
    }
  }

  /** How many requests wait. */
  int size() {
    return waits;
  }

  /**
   * If {@code latest} closes a cycle, it is broken. A cycle of locks has one victim, the actor that
   * closed it: when it has given its locks back the others go on. Of a cycle through a meeting
   * every request fails, since a meeting that one has left fails for all.
   */
  void breakCycle(WaitingRequest latest, DeferredReplies answers) {
    List<WaitingRequest> cycle = cycle(latest);
    if (cycle.isEmpty()) {
      return;
    }
    DeadlockException error = new DeadlockException(spellOut(cycle));
    boolean onlyLocks = cycle.stream().allMatch(LockRequest.class::isInstance);
    // A cycle begins with a request of the actor that closed it.
    for (WaitingRequest waiting : onlyLocks ? cycle.subList(0, 1) : cycle) {
      waiting.fail(error, answers);
    }
  }

  private static List<WaitingRequest> cycle(WaitingRequest latest) {
    Actor first = latest.member().actor;
    Set<Actor> stuck = stuckSet(first);
    if (!stuck.contains(first)) {
      return List.of();
    }
    Map<WaitingRequest, @Nullable WaitingRequest> reachedFrom = new IdentityHashMap<>();
    Set<Object> places = Collections.newSetFromMap(new IdentityHashMap<>());
    Set<Actor> seen = new HashSet<>(Set.of(first));
    Deque<WaitingRequest> next = new ArrayDeque<>(first.requests());
    while (!next.isEmpty()) {
      WaitingRequest waiting = next.remove();
      if (!places.add(waiting.place())) {
        continue;
      }
      for (GroupMember member : blockers(waiting)) {
        if (member.actor == first) {
          return pathTo(waiting, reachedFrom);
        }
        if (stuck.contains(member.actor) && seen.add(member.actor)) {
          for (WaitingRequest on : member.actor.requests()) {
            reachedFrom.put(on, waiting);
            next.add(on);
          }
        }
      }
    }
    return first.requests(); // stuck behind a cycle that it completed, but does not belong to
  }

  /** Actors that wait for each other and can never go on, as far as one of them reaches. */
  private static Set<Actor> stuckSet(Actor first) {
    Set<Actor> stuck = new LinkedHashSet<>();
    Set<Object> places = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Actor> next = new ArrayDeque<>(List.of(first));
    while (!next.isEmpty()) {
      Actor actor = next.remove();
      if (!actor.isStuck() || !stuck.add(actor)) {
        continue;
      }
      for (WaitingRequest waiting : actor.requests()) {
        if (places.add(waiting.place())) {
          blockers(waiting).forEach(member -> next.add(member.actor));
        }
      }
    }
    boolean changed = true;
    while (changed) {
      changed =
          stuck.removeIf(actor -> !actor.requests().stream().allMatch(w -> isHeldUp(w, stuck)));
    }
    return stuck;
  }

  private static boolean isHeldUp(WaitingRequest waiting, Set<Actor> stuck) {
    for (GroupMember member : blockers(waiting)) {
      if (stuck.contains(member.actor)) {
        return true;
      }
    }
    return false;
  }

  private static List<GroupMember> blockers(WaitingRequest waiting) {
    return waiting instanceof LockRequest request ? request.lastingBlockers() : waiting.waitsFor();
  }

  private static List<WaitingRequest> pathTo(
      WaitingRequest last, Map<WaitingRequest, @Nullable WaitingRequest> reachedFrom) {
    List<WaitingRequest> path = new ArrayList<>();
    for (WaitingRequest at = last; at != null; at = reachedFrom.get(at)) {
      path.add(at);
    }
    Collections.reverse(path);
    return path;
  }

  private static String spellOut(List<WaitingRequest> cycle) {
    StringJoiner text = new StringJoiner("; ", "a circle of waiting: ", "");
    for (int i = 0; i < cycle.size(); i++) {
      WaitingRequest waiting = cycle.get(i);
      WaitingRequest blocker = cycle.get((i + 1) % cycle.size());
      text.add(waiting.member() + " waits in " + waiting.call() + " for " + blocker.member());
    }
    return text.toString();
  }
}
