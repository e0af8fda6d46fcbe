package org.millrace.coordinator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.millrace.error.DeadlockException;

/**
 * Who waits for whom, in meetings and for locks alike. An actor that is stuck in one request waits
 * for all that this request waits for, so any circle of stuck actors is a deadlock. Only a new wait
 * can close a circle, and the circle then goes through it: it is enough to search from there,
 * breadth first, which finds a shortest one.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class WaitGraph {

  // guarded by the coordinator's lock
  private int waits;

  void start(Waiting waiting) {
    waiting.member().actor.waits.add(waiting);
    waits++;
  }

  void end(Waiting waiting) {
    if (waiting.member().actor.waits.remove(waiting)) {
      waits--;
    }
  }

  /** How many requests wait. */
  int size() {
    return waits;
  }

  /** If {@code latest} closes a circle, every request in it fails. */
  void breakCircle(Waiting latest, Answers answers) {
    List<Waiting> circle = circle(latest);
    if (circle.isEmpty()) {
      return;
    }
    DeadlockException error = new DeadlockException(spellOut(circle));
    for (Waiting waiting : circle) {
      waiting.fail(error, answers);
    }
  }

  private static List<Waiting> circle(Waiting latest) {
    if (latest.member().actor.stuckIn().isEmpty()) {
      return List.of();
    }
    Map<Waiting, @Nullable Waiting> reachedFrom = new IdentityHashMap<>();
    Set<Object> places = Collections.newSetFromMap(new IdentityHashMap<>());
    Set<Actor> seen = new HashSet<>();
    Deque<Waiting> next = new ArrayDeque<>(List.of(latest));
    while (!next.isEmpty()) {
      Waiting waiting = next.remove();
      if (!places.add(waiting.place())) {
        continue;
      }
      for (Member member : waiting.waitsFor()) {
        Optional<Waiting> stuck = member.actor.stuckIn();
        if (stuck.isEmpty()) {
          continue;
        }
        if (member.actor == latest.member().actor) {
          return pathTo(waiting, reachedFrom);
        }
        if (seen.add(member.actor)) {
          reachedFrom.put(stuck.get(), waiting);
          next.add(stuck.get());
        }
      }
    }
    return List.of();
  }

  private static List<Waiting> pathTo(Waiting last, Map<Waiting, @Nullable Waiting> reachedFrom) {
    List<Waiting> path = new ArrayList<>();
    for (Waiting at = last; at != null; at = reachedFrom.get(at)) {
      path.add(at);
    }
    Collections.reverse(path);
    return path;
  }

  private static String spellOut(List<Waiting> circle) {
    StringJoiner text = new StringJoiner("; ", "a circle of waiting: ", "");
    for (int i = 0; i < circle.size(); i++) {
      Waiting waiting = circle.get(i);
      Waiting blocker = circle.get((i + 1) % circle.size());
      text.add(waiting.member() + " waits in " + waiting.call() + " for " + blocker.member());
    }
    return text.toString();
  }
}
