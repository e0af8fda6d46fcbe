package org.millrace.cli.console;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.millrace.cli.cluster.ClusterState;
import org.millrace.cluster.Administration.NodeReport;
import org.millrace.cluster.NodeAdministration;
import org.millrace.output.Exposition;
import org.millrace.protocol.NodeFact;

/**
 * A snapshot as metrics for Prometheus; {@code docs/console.md} lists them. Of a cluster that is
 * silent only that is told. Stateless.
 */
final class ClusterMetrics {

  /** The kinds of requests that nodes count. */
  private static final List<String> KINDS = List.of("get", "put", "list", "direct", "flush", "pin");

  private static final double NANOS = 1e9;

  // Bounds that nodes use, too, so that no request is counted on the wrong side: powers of two.
  private static final int FIRST_POWER = 10; // a microsecond
  private static final int LAST_POWER = 34; // seventeen seconds
  private static final int POWERS = 2;

  private ClusterMetrics() {}

  static String text(Snapshot snapshot) {
    Exposition out = new Exposition();
    boolean answers = snapshot.silence().isEmpty() && snapshot.now().isPresent();
    out.gauge("millrace_up", "Whether the coordinator answers.").value(answers ? 1 : 0);
    if (answers) {
      ClusterState state = snapshot.now().get();
      cluster(out, state);
      calls(out, snapshot);
      nodes(out, state);
      requests(out, state);
      copies(out, snapshot);
    }
    return out.text();
  }

  private static void cluster(Exposition out, ClusterState state) {
    out.gauge("millrace_coordinator_uptime_seconds", "For how long the coordinator has been up.")
        .value((double) state.status().upMillis() / 1e3);
    out.gauge("millrace_sessions", "Sessions of programs, jobs and nodes.")
        .value(state.status().sessions());
    out.gauge("millrace_groups", "Groups of ranks.").value(state.status().groups().size());
    out.gauge("millrace_open_files", "Open files.").value(state.status().opens().size());
    out.gauge("millrace_waits", "Ranks that wait for others in a synchronizing call or a lock.")
        .value(state.status().waits().size());
    double longest =
        (double)
            state.status().waits().stream().mapToLong(wait -> wait.sinceNanos()).max().orElse(0);
    out.gauge("millrace_longest_wait_seconds", "How long the longest of these waits has lasted.")
        .value(longest / NANOS);
  }

  private static void calls(Exposition out, Snapshot snapshot) {
    out.counter(
        "millrace_collectives_total",
        "Collective calls by strategy, as the first ranks of groups told of them.");
    new TreeMap<>(snapshot.calls().counts())
        .forEach((strategy, count) -> out.value((double) count, "strategy", strategy));
  }

  private static void nodes(Exposition out, ClusterState state) {
    out.gauge("millrace_node_up", "Whether a node is up and answers.");
    for (NodeFact node : state.facts().nodes()) {
      if (!node.isRemoved()) {
        out.value(Snapshot.isUp(state, node) ? 1 : 0, "node", node.number());
      }
    }
    counters(out, state, "millrace_cache_hits", "hits", "Accesses to blocks that were cached.");
    counters(out, state, "millrace_cache_misses", "misses", "Accesses to blocks that were not.");
    counters(out, state, "millrace_cache_evictions", "evictions", "Blocks that were evicted.");
    gauges(out, state, "millrace_cache_dirty_bytes", "dirtyBytes", "Bytes not yet on disk.");
    gauges(out, state, "millrace_cache_used_bytes", "usedBytes", "Memory of the cache in use.");
    gauges(out, state, "millrace_cache_limit_bytes", "limitBytes", "Memory that it may use.");
    counters(
        out, state, "millrace_disk_read_bytes_total", "bytesRead", "Bytes read from the disk.");
    counters(
        out, state, "millrace_disk_written_bytes_total", "bytesWritten", "Bytes written to it.");
    gauges(out, state, "millrace_disk_stored_bytes", "storedBytes", "Bytes of files on the disk.");
    gauges(out, state, "millrace_disk_free_bytes", "diskFree", "Room on the disk.");
    gauges(out, state, "millrace_disk_size_bytes", "diskTotal", "Size of the disk.");
    counters(
        out,
        state,
        "millrace_corrupt_blocks_total",
        "trouble.corrupt",
        "Requests that met corrupt data, which were not handed out.");
    counters(
        out, state, "millrace_disk_errors_total", "trouble.disk", "Requests whose disk failed.");
    gauges(out, state, "millrace_scrub_running", "scrub.running", "Whether a scrub goes on.");
    gauges(out, state, "millrace_scrub_bytes", "scrub.bytes", "What the last scrub has read.");
    gauges(
        out,
        state,
        "millrace_scrub_left",
        "scrub.left",
        "Bad places that the last scrub could not repair.");
  }

  private static void counters(
      Exposition out, ClusterState state, String name, String counter, String help) {
    values(out.counter(name, help), state, counter);
  }

  private static void gauges(
      Exposition out, ClusterState state, String name, String counter, String help) {
    values(out.gauge(name, help), state, counter);
  }

  private static void values(Exposition out, ClusterState state, String counter) {
    for (NodeReport report : state.reports()) {
      if (report.isHere()) {
        out.value((double) report.counter(counter), "node", report.node());
      }
    }
  }

  private static void requests(Exposition out, ClusterState state) {
    out.counter("millrace_requests_total", "Requests that a node has served.");
    each(state, (report, kind) -> value(out, report, kind, ".count"));
    out.counter("millrace_request_bytes_total", "Bytes that these requests moved.");
    each(state, (report, kind) -> value(out, report, kind, ".bytes"));
    out.histogram(
        "millrace_request_seconds",
        "Times of requests; of get and put one in 128 is timed, of the others all.");
    each(state, (report, kind) -> distribution(out, report, kind));
  }

  private interface OfKind {
    void add(NodeReport report, String kind);
  }

  private static void each(ClusterState state, OfKind what) {
    for (NodeReport report : state.reports()) {
      for (String kind : KINDS) {
        if (report.counters().containsKey(kind + ".count")) {
          what.add(report, kind);
        }
      }
    }
  }

  private static void value(Exposition out, NodeReport report, String kind, String counter) {
    out.value((double) report.counter(kind + counter), "node", report.node(), "kind", kind);
  }

  private static void distribution(Exposition out, NodeReport report, String kind) {
    int node = report.node();
    for (int power = FIRST_POWER; power <= LAST_POWER; power += POWERS) {
      long bound = 1L << power;
      String shown = Exposition.shown((double) bound / NANOS);
      out.part(
          "_bucket", (double) upTo(report, kind, bound), "node", node, "kind", kind, "le", shown);
    }
    double all = (double) upTo(report, kind, Long.MAX_VALUE);
    out.part("_bucket", all, "node", node, "kind", kind, "le", "+Inf");
    out.part("_sum", (double) report.counter(kind + ".nanos") / NANOS, "node", node, "kind", kind);
    out.part("_count", all, "node", node, "kind", kind);
  }

  /** How many of those timed took no longer; counted here, so that the parts agree. */
  private static long upTo(NodeReport report, String kind, long nanos) {
    String bucket = kind + ".upTo.";
    long count = 0;
    for (Map.Entry<String, Long> counter : report.counters().entrySet()) {
      String name = counter.getKey();
      if (name.startsWith(bucket) && Long.parseLong(name.substring(bucket.length())) <= nanos) {
        count += counter.getValue();
      }
    }
    return count;
  }

  private static void copies(Exposition out, Snapshot snapshot) {
    if (snapshot.holdings().isEmpty()) {
      return; // this user may not know
    }
    out.gauge("millrace_copies_missing", "Copies of strands that are not in sync on a node.");
    for (NodeAdministration.State one : snapshot.holdings()) {
      out.value((double) one.holding().missing(), "node", one.holding().node());
    }
    out.gauge("millrace_strands", "Strands on a node, copies among them.");
    for (NodeAdministration.State one : snapshot.holdings()) {
      out.value((double) one.holding().strands(), "node", one.holding().node());
    }
    out.gauge("millrace_strands_lost", "Strands that were on a node and are lost.");
    for (NodeAdministration.State one : snapshot.holdings()) {
      out.value((double) one.holding().lost(), "node", one.holding().node());
    }
  }
}
