package org.millrace.cli.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.millrace.cli.terminal.Shown;
import org.millrace.cluster.Administration;
import org.millrace.cluster.Administration.NodeReport;
import org.millrace.output.Table;
import org.millrace.protocol.CoordinatorReply.Wait;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.Status;

/** A cluster's state as lines, and as values for JSON. Stateless. */
public final class StatusText {

  private StatusText() {}

  /** For people. */
  static List<String> lines(ClusterState state, long maxWaitNanos) {
    List<String> lines = new ArrayList<>();
    Status status = state.status();
    lines.add(
        "cluster %s, coordinator up for %s, %s sessions"
            .formatted(
                state.facts().cluster(), Shown.nanos(status.upMillis() * 1e6), status.sessions()));
    section(lines, "coordinators", coordinators(state));
    section(lines, "", nodes(state));
    section(lines, "scrubs", scrubs(state));
    section(lines, "groups", groups(status));
    section(lines, "open files", opens(status));
    section(lines, "waiting", waits(status));
    section(lines, "locks", locks(status));
    List<String> problems = state.problems(maxWaitNanos);
    lines.add("");
    if (problems.isEmpty()) {
      lines.add("all is well");
    }
    problems.forEach(problem -> lines.add("problem: " + Shown.text(problem)));
    return lines;
  }

  private static void section(List<String> lines, String heading, Table table) {
    if (table.isEmpty()) {
      return;
    }
    lines.add("");
    if (!heading.isEmpty()) {
      lines.add(heading);
    }
    lines.addAll(table.lines());
  }

  /** A row for each coordinator, if there are several. */
  static Table coordinators(ClusterState state) {
    Table table = new Table(">coordinator", "role", ">last heard");
    for (ClusterState.OfCoordinator one : state.coordinators()) {
      table.row(
          one.number(),
          one.role(),
          one.role().equals("leader") ? "-" : Shown.nanos(one.silentMillis() * 1e6));
    }
    return table;
  }

  /** A row for each node. */
  public static Table nodes(ClusterState state) {
    Table table =
        new Table("node", "state", "address", ">cache", ">hits", ">dirty", ">stored", ">free");
    for (NodeFact node : state.facts().nodes()) {
      NodeReport report = state.report(node.number());
      boolean here = report.isHere();
      long hits = report.counter("hits");
      table.row(
          node.number(),
          state.word(node),
          node.address().isEmpty() ? "-" : node.address(),
          here ? bytes(report, "usedBytes") + "/" + bytes(report, "limitBytes") : "-",
          Shown.percent(hits, hits + report.counter("misses")),
          here ? bytes(report, "dirtyBytes") : "-",
          here ? bytes(report, "storedBytes") : "-",
          here ? bytes(report, "diskFree") : "-");
    }
    return table;
  }

  /** A row for each node that has scrubbed its disk since it was started. */
  static Table scrubs(ClusterState state) {
    Table table = new Table(">node", "last scrub", ">read", ">repaired", ">left");
    for (NodeReport report : state.reports()) {
      boolean running = report.counter("scrub.running") == 1;
      if (report.counters().containsKey("scrub.running")) {
        table.row(
            report.node(),
            running ? "goes on" : Shown.nanos(report.counter("scrub.agoMillis") * 1e6) + " ago",
            bytes(report, "scrub.bytes"),
            report.counter("scrub.repaired"),
            report.counter("scrub.left"));
      }
    }
    return table;
  }

  private static String bytes(NodeReport report, String counter) {
    return Shown.bytes(report.counter(counter));
  }

  /** A row for each group of ranks. */
  public static Table groups(Status status) {
    Table table = new Table(">group", ">ranks", "user", "job", "ended");
    for (Status.OfGroup group : status.groups()) {
      List<String> ended = new ArrayList<>();
      for (Status.OfMember member : group.members()) {
        if (!member.left().isEmpty()) {
          ended.add(member.rank() + ": " + member.left());
        }
      }
      table.row(
          group.group(),
          group.members().size() + "/" + group.size(),
          group.user(),
          group.job().isEmpty() ? "-" : group.job(),
          ended.isEmpty() ? "-" : String.join(", ", ended));
    }
    return table;
  }

  /** A row for each open file. */
  public static Table opens(Status status) {
    Table table = new Table(">group", ">open", "how", ">pointer", ">end pointer", "file");
    for (Status.OfOpen open : status.opens()) {
      table.row(
          open.group(),
          open.open(),
          open.how(),
          open.pointer(),
          open.endPointer(),
          open.path().isEmpty() ? "?" : open.path());
    }
    return table;
  }

  /** A row for each rank that waits. */
  public static Table waits(Status status) {
    Table table = new Table(">group", ">rank", "in", ">for", "waits for (group/rank)");
    for (Wait wait : status.waits()) {
      table.row(
          wait.group(),
          wait.rank(),
          wait.call(),
          Shown.nanos(wait.sinceNanos()),
          String.join(" ", wait.waitsFor()));
    }
    return table;
  }

  /** A row for each lock. */
  public static Table locks(Status status) {
    Table table = new Table("lock", "held by (group/rank)", ">for");
    for (Status.OfLock lock : status.locks()) {
      table.row(
          lock.name().isEmpty() ? "?" : lock.name(), lock.holder(), Shown.nanos(lock.sinceNanos()));
    }
    return table;
  }

  /** For programs. */
  public static Map<String, Object> values(ClusterState state, long maxWaitNanos) {
    Status status = state.status();
    Map<String, Object> values = new LinkedHashMap<>();
    List<String> problems = state.problems(maxWaitNanos);
    values.put("well", problems.isEmpty());
    values.put("problems", problems);
    values.put("cluster", state.facts().cluster());
    values.put("upMillis", status.upMillis());
    values.put("sessions", status.sessions());
    values.put(
        "coordinators",
        state.coordinators().stream()
            .map(
                one ->
                    map(
                        "coordinator",
                        one.number(),
                        "role",
                        one.role(),
                        "silentMillis",
                        one.silentMillis()))
            .toList());
    values.put("coordinatorCounters", new TreeMap<>(Administration.health(state.facts())));
    values.put("nodes", state.facts().nodes().stream().map(node -> node(state, node)).toList());
    values.put("groups", status.groups().stream().map(StatusText::group).toList());
    values.put(
        "opens",
        status.opens().stream()
            .map(
                open ->
                    map(
                        "open",
                        open.open(),
                        "group",
                        open.group(),
                        "path",
                        open.path(),
                        "how",
                        open.how(),
                        "pointer",
                        open.pointer(),
                        "endPointer",
                        open.endPointer()))
            .toList());
    values.put(
        "waits",
        status.waits().stream()
            .map(
                wait ->
                    map(
                        "group",
                        wait.group(),
                        "rank",
                        wait.rank(),
                        "call",
                        wait.call(),
                        "forNanos",
                        wait.sinceNanos(),
                        "waitsFor",
                        wait.waitsFor()))
            .toList());
    values.put(
        "locks",
        status.locks().stream()
            .map(
                lock ->
                    map(
                        "lock",
                        lock.name(),
                        "holder",
                        lock.holder(),
                        "forNanos",
                        lock.sinceNanos()))
            .toList());
    return values;
  }

  private static Map<String, Object> node(ClusterState state, NodeFact node) {
    return map(
        "node",
        node.number(),
        "up",
        state.word(node).equals("up"),
        "state",
        state.state(node),
        "address",
        node.address(),
        "counters",
        new TreeMap<>(state.report(node.number()).counters()));
  }

  private static Map<String, Object> group(Status.OfGroup group) {
    return map(
        "group",
        group.group(),
        "size",
        group.size(),
        "user",
        group.user(),
        "job",
        group.job(),
        "members",
        group.members().stream()
            .map(
                member ->
                    map("rank", member.rank(), "inbox", member.inbox(), "left", member.left()))
            .toList());
  }

  private static Map<String, Object> map(Object... keysAndValues) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      map.put(keysAndValues[i].toString(), keysAndValues[i + 1]);
    }
    return map;
  }
}
