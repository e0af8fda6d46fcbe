package org.millrace.cli.console;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.output.Json;
import org.millrace.protocol.CallFacts;
import org.millrace.protocol.CoordinatorReply.Calls;

/**
 * The last collective calls of a group as values for JSON: call by call, with what each rank says
 * of it, though ranks tell rank by rank. Stateless.
 */
final class CallValues {

  private CallValues() {}

  /** A call is the same on all ranks if the open file and the count of calls are. */
  private record CallId(long open, long number) {}

  /** What a rank says of a call. */
  private record OfRank(int rank, CallFacts facts) {}

  static Map<String, @Nullable Object> of(Calls.GroupCalls group) {
    Map<CallId, List<OfRank>> byCall = new LinkedHashMap<>();
    for (Calls.RankCalls rank : group.ranks()) {
      for (CallFacts one : rank.calls()) {
        byCall
            .computeIfAbsent(new CallId(one.open(), one.number()), _ -> new ArrayList<>())
            .add(new OfRank(rank.rank(), one));
      }
    }
    List<List<OfRank>> calls = new ArrayList<>(byCall.values());
    calls.sort(
        (a, b) -> Long.compare(b.getFirst().facts.beginNanos(), a.getFirst().facts.beginNanos()));
    List<List<OfRank>> last =
        calls.subList(Math.max(0, calls.size() - CallFacts.MAX_CALLS), calls.size());
    return Json.object(
        "group",
        group.group(),
        "size",
        group.size(),
        "user",
        group.user(),
        "job",
        group.job(),
        "count",
        group.count(),
        "last",
        last.stream().map(CallValues::ofCall).toList());
  }

  private static Map<String, @Nullable Object> ofCall(List<OfRank> ranks) {
    CallFacts first = ranks.getFirst().facts;
    return Json.object(
        "call",
        first.call(),
        "file",
        first.file(),
        "strategy",
        first.strategy(),
        "plan",
        first.plan(),
        "failed",
        ranks.stream().anyMatch(one -> one.facts.failed()),
        "bytes",
        ranks.stream().mapToLong(one -> one.facts.bytes()).sum(),
        "ranks",
        ranks.stream().map(CallValues::ofRank).toList());
  }

  private static Map<String, @Nullable Object> ofRank(OfRank one) {
    return Json.object(
        "rank",
        one.rank,
        "agoNanos",
        one.facts.beginNanos(),
        "movingNanos",
        one.facts.movingNanos(),
        "movedNanos",
        one.facts.movedNanos(),
        "endNanos",
        one.facts.endNanos());
  }
}
