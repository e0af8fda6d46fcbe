package org.millrace.coordinator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.plan.Strategy;
import org.millrace.protocol.CallFacts;
import org.millrace.protocol.CoordinatorReply.Calls;
import org.millrace.protocol.CoordinatorRequest;

/**
 * What ranks say of their collective calls, for people: the last ones of the groups that told last,
 * also when these are over, and how many there were by strategy. A call counts when the group's
 * rank 0 tells of it. Nothing else of the coordinator depends on it, and nothing of it outlives the
 * coordinator.
 *
 * <p>Ranks have clocks of their own. The smallest difference between the time that a report was
 * sent and that it came, over all reports of a rank, is taken for the difference of the clocks; so
 * calls of different ranks are told as far apart as the quickest report took.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class RecentCalls {

  /** Of how many groups calls are kept. */
  static final int MAX_GROUPS = 4;

  private static final String ATOMIC = "atomic"; // of calls without a plan

  /** The calls of one rank, by the coordinator's clock. */
  private static final class OfRank {
    final Deque<CallFacts> calls = new ArrayDeque<>();
    long clockNanos = Long.MAX_VALUE; // what its clock is behind this one's
  }

  /** The calls of one group. */
  private static final class OfGroup {
    final Group group;
    final TreeMap<Integer, OfRank> ranks = new TreeMap<>();
    long count;

    OfGroup(Group group) {
      this.group = group;
    }
  }

  // constant after construction
  private final Env env;

  // guarded by the coordinator's lock
  private final Map<Long, OfGroup> groups = new LinkedHashMap<>(); // who told last is last
  private final Map<String, Long> counts = new TreeMap<>();

  RecentCalls(Env env) {
    this.env = env;
    for (Strategy one : Strategy.values()) {
      if (one != Strategy.AUTO) {
        counts.put(one.word(), 0L);
      }
    }
    counts.put(ATOMIC, 0L);
  }

  /** A rank tells of its calls. */
  void onReport(GroupMember member, CoordinatorRequest.ReportCalls report)
      throws MillraceException {
    check(member, report);
    OfGroup group = groups.remove(member.group.id);
    group = group == null ? new OfGroup(member.group) : group;
    groups.put(member.group.id, group);
    if (groups.size() > MAX_GROUPS) {
      groups.remove(groups.keySet().iterator().next());
    }
    OfRank rank = group.ranks.computeIfAbsent(member.rank, _ -> new OfRank());
    rank.clockNanos = Math.min(rank.clockNanos, env.nanoTime() - report.sentNanos());
    for (CallFacts call : report.calls()) {
      rank.calls.add(call.begunAt(call.beginNanos() + rank.clockNanos));
      if (rank.calls.size() > CallFacts.MAX_CALLS) {
        rank.calls.remove();
      }
    }
    if (member.rank == 0) {
      for (Map.Entry<String, Long> one : report.counts().entrySet()) {
        counts.merge(one.getKey(), one.getValue(), Long::sum);
        group.count += one.getValue();
      }
    }
  }

  private void check(GroupMember member, CoordinatorRequest.ReportCalls report)
      throws MillraceException {
    boolean fits =
        member.rank < CallFacts.MAX_RANKS
            && report.calls().size() <= CallFacts.MAX_CALLS
            && counts.keySet().containsAll(report.counts().keySet())
            && report.counts().values().stream().allMatch(count -> count >= 0);
    if (!fits) {
      throw new MillraceException(
          ErrorCode.REFUSED, "a report of calls with too much, or of strategies that are unknown");
    }
    for (CallFacts call : report.calls()) {
      for (String text : List.of(call.call(), call.file(), call.strategy(), call.plan())) {
        Quotas.checkLength(text, CallFacts.MAX_CHARS, "a text of a call");
      }
    }
  }

  /** All that is known, for somebody who sees the files of some groups. */
  Calls told(Predicate<Group> seen) {
    long now = env.nanoTime();
    List<Calls.GroupCalls> all = new ArrayList<>();
    for (OfGroup one : groups.values()) {
      boolean whole = seen.test(one.group);
      List<Calls.RankCalls> ranks = new ArrayList<>();
      one.ranks.forEach(
          (rank, of) ->
              ranks.add(
                  new Calls.RankCalls(
                      rank, of.calls.stream().map(call -> ago(call, now, whole)).toList())));
      all.addFirst(
          new Calls.GroupCalls(
              one.group.id,
              one.group.size,
              one.group.founder.user(),
              whole ? one.group.job : "",
              one.count,
              List.copyOf(ranks)));
    }
    return new Calls(Map.copyOf(counts), List.copyOf(all));
  }

  private static CallFacts ago(CallFacts call, long now, boolean whole) {
    CallFacts ago = call.begunAt(now - call.beginNanos());
    return whole ? ago : ago.withoutFile();
  }
}
