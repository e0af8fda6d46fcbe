package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Answers to requests that have changed names, as long as their askers may not have heard them. An
 * answer is in the record of its change, so they are durable together. A coordinator that was
 * restarted, or that follows another one, answers a repeated request from here and carries it out
 * only if it is not here, because then it has not happened.
 *
 * <p>Of a session there are as many as it has requests under way, and one more; of a group the last
 * few. All are forgotten when the asker has ended.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class Answers {

  /** How many numbers of a group's calls back its ranks may still not have heard an answer. */
  static final long BEHIND = 160;

  private static final TreeMap<Long, KeptAnswer> NONE = new TreeMap<>(); // never changed

  // guarded by the coordinator's lock
  private final TreeMap<Long, TreeMap<Long, KeptAnswer>> byAsker = new TreeMap<>();

  /** What a group is called among askers, all others of which are sessions. */
  static long ofGroup(long group) {
    return -group;
  }

  /** The answer to a request, if it has changed something. */
  Optional<KeptAnswer> find(long asker, long request) {
    return Optional.ofNullable(byAsker.get(asker)).map(all -> all.get(request));
  }

  /** Whether there is any answer for an asker. */
  boolean has(long asker) {
    return byAsker.containsKey(asker);
  }

  Set<Long> askers() {
    return Set.copyOf(byAsker.keySet());
  }

  /** The calls of groups that have made a file, by group. */
  Map<Long, Long> makersOf(long file) {
    Map<Long, Long> calls = new TreeMap<>();
    byAsker
        .headMap(0L)
        .forEach(
            (asker, all) ->
                all.forEach(
                    (call, made) -> {
                      if (made.equals(new KeptAnswer.Value(file))) {
                        calls.put(-asker, call);
                      }
                    }));
    return calls;
  }

  /** The files that a session has made by opening them. */
  List<Long> madeBy(long session) {
    List<Long> files = new ArrayList<>();
    for (KeptAnswer kept : byAsker.getOrDefault(session, NONE).values()) {
      if (kept instanceof KeptAnswer.Opened(long file)) {
        files.add(file);
      }
    }
    return files;
  }

  NameChange apply(NameChange.Answered c) {
    forget(c.asker(), c.heard());
    if (c.answer() instanceof KeptAnswer.None) {
      TreeMap<Long, KeptAnswer> all = byAsker.get(c.asker());
      if (all != null && all.remove(c.request()) != null && all.isEmpty()) {
        byAsker.remove(c.asker());
      }
      return NameChange.Together.NOTHING;
    }
    byAsker.computeIfAbsent(c.asker(), _ -> new TreeMap<>()).put(c.request(), c.answer());
    return new NameChange.Answered(c.asker(), c.request(), 0, new KeptAnswer.None());
  }

  /** What was heard stays heard, whatever becomes of the change that it came with. */
  NameChange apply(NameChange.Heard c) {
    forget(c.asker(), c.below());
    return NameChange.Together.NOTHING;
  }

  private void forget(long asker, long below) {
    TreeMap<Long, KeptAnswer> all = byAsker.get(asker);
    if (all != null) {
      all.headMap(below).clear();
      if (all.isEmpty()) {
        byAsker.remove(asker);
      }
    }
  }

  /** Changes that make this from nothing. */
  List<NameChange> asChanges() {
    List<NameChange> changes = new ArrayList<>();
    byAsker.forEach(
        (asker, all) ->
            all.forEach(
                (request, answer) ->
                    changes.add(new NameChange.Answered(asker, request, 0, answer))));
    return changes;
  }
}
