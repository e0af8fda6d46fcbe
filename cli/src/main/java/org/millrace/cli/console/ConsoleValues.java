package org.millrace.cli.console;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.cluster.ClusterState;
import org.millrace.cli.cluster.Rates;
import org.millrace.cli.cluster.StatusText;
import org.millrace.cluster.Administration.NodeReport;
import org.millrace.cluster.NodeAdministration;
import org.millrace.output.Json;
import org.millrace.protocol.NodeFact;

/**
 * A snapshot as values for JSON: what {@code millrace status --json} prints, with rates and with
 * what nodes hold. Stateless.
 */
final class ConsoleValues {

  private static final double NANOS = 1e9;

  private ConsoleValues() {}

  static Map<String, @Nullable Object> of(Snapshot snapshot, long maxWaitNanos) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    values.put("silence", snapshot.silence());
    values.put("ready", snapshot.isReady());
    snapshot
        .now()
        .ifPresent(
            state -> {
              values.putAll(StatusText.values(state, maxWaitNanos));
              values.put("rates", rates(snapshot, state));
              values.put("holdings", snapshot.holdings().stream().map(ConsoleValues::of).toList());
              values.put("missingCopies", snapshot.missingCopies());
              values.put("collectives", snapshot.calls().counts());
              values.put("calls", snapshot.calls().groups().stream().map(CallValues::of).toList());
            });
    return values;
  }

  private static List<Map<String, @Nullable Object>> rates(Snapshot snapshot, ClusterState now) {
    ClusterState before = snapshot.before().orElse(now);
    double seconds = Math.max(1e-9, (double) (now.nanos() - before.nanos()) / NANOS);
    return now.facts().nodes().stream()
        .filter(node -> !node.isRemoved())
        .map(node -> rates(before, now, node, seconds))
        .toList();
  }

  private static Map<String, @Nullable Object> rates(
      ClusterState before, ClusterState now, NodeFact node, double seconds) {
    NodeReport earlier = before.report(node.number());
    NodeReport report = now.report(node.number());
    boolean both = earlier.isHere() && report.isHere(); // else all since its start would count
    Rates all = both ? new Rates().add(earlier, report, Rates.KINDS) : new Rates();
    return Json.object(
        "node",
        node.number(),
        "bytes",
        Json.rounded(all.bytes() / seconds, 0),
        "operations",
        Json.rounded(all.operations() / seconds, 1),
        "diskRead",
        Json.rounded(both ? (double) Rates.grown(earlier, report, "bytesRead") / seconds : 0, 0),
        "diskWritten",
        Json.rounded(
            both ? (double) Rates.grown(earlier, report, "bytesWritten") / seconds : 0, 0));
  }

  private static Map<String, @Nullable Object> of(NodeAdministration.State state) {
    var holding = state.holding();
    return Json.object(
        "node",
        holding.node(),
        "use",
        holding.isFor().name().toLowerCase(Locale.ROOT),
        "strands",
        holding.strands(),
        "alone",
        holding.alone(),
        "missing",
        holding.missing(),
        "lost",
        holding.lost(),
        "open",
        holding.open());
  }
}
