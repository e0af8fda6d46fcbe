package org.millrace.cli.pfsd;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.millrace.cli.cluster.ClusterState;
import org.millrace.cli.cluster.StatusText;
import org.millrace.cli.terminal.Shown;
import org.millrace.cluster.Administration.NodeReport;
import org.millrace.output.Table;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.protocol.CoordinatorReply.Wait;
import org.millrace.protocol.Status;

/**
 * A cluster's state as PFSLib's server would print it. Immutable.
 *
 * @param state what there is
 * @param iods whether the I/O daemons are shown
 * @param verbose whether everything is
 */
record PfsdStatus(ClusterState state, boolean iods, boolean verbose) {

  private static final Map<String, String> NAMES =
      Map.of(
          "open", "gopen",
          "subgroup", "gopen",
          "read", "cread/iread",
          "write", "cwrite/iwrite",
          "seek", "lseek",
          "seekToEnd", "lseek",
          "setMode", "setiomode",
          "an operation", "iowait/iseof");

  /** What of it concerns one file, on these nodes. */
  static ClusterState of(ClusterState state, String path, Set<Integer> nodes) {
    Status all = state.status();
    List<Status.OfOpen> opens =
        all.opens().stream().filter(open -> open.path().equals(path)).toList();
    Set<Long> groups = opens.stream().map(Status.OfOpen::group).collect(Collectors.toSet());
    Status status =
        new Status(
            all.upMillis(),
            all.sessions(),
            all.groups().stream().filter(group -> groups.contains(group.group())).toList(),
            opens,
            all.waits().stream().filter(wait -> groups.contains(wait.group())).toList(),
            all.locks().stream().filter(lock -> lock.name().contains(path)).toList());
    Facts facts = state.facts();
    return new ClusterState(
        state.nanos(),
        new Facts(
            facts.cluster(),
            facts.nodes().stream().filter(node -> nodes.contains(node.number())).toList(),
            facts.settings(),
            facts.asker()),
        status,
        state.reports());
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    Status status = state.status();
    lines.add(
        "pfsd of cluster %s, up for %s, %s open files"
            .formatted(
                state.facts().cluster(),
                Shown.nanos(status.upMillis() * 1e6),
                status.opens().size()));
    section(lines, "open files", StatusText.opens(status));
    section(lines, "clients", clients(status));
    section(lines, "groups", StatusText.groups(status));
    section(lines, "waiting", waits(status));
    section(lines, "locks", StatusText.locks(status));
    if (iods || verbose) {
      section(lines, "I/O daemons", StatusText.nodes(state));
    }
    if (verbose) {
      section(lines, "counters", counters());
    }
    return lines;
  }

  private void section(List<String> lines, String heading, Table table) {
    if (verbose || !table.isEmpty()) {
      lines.add("");
      lines.add(heading);
      lines.addAll(table.lines());
    }
  }

  /** What clients say of their open files: mode, pointer, pending ids, where they run. */
  private static Table clients(Status status) {
    Table table = new Table(">open", ">rank", "file", "mode, own pointer, pending ids, client");
    for (Status.OfOpen open : status.opens()) {
      new TreeMap<>(open.notes())
          .forEach(
              (rank, note) ->
                  table.row(open.open(), rank, open.path().isEmpty() ? "?" : open.path(), note));
    }
    return table;
  }

  /** Who waits, in PFSLib's words. */
  private static Table waits(Status status) {
    Table table = new Table(">group", ">rank", "in", ">for", "waits for (group/rank)");
    for (Wait wait : status.waits()) {
      table.row(
          wait.group(),
          wait.rank(),
          pfsName(wait.call()),
          Shown.nanos(wait.sinceNanos()),
          String.join(" ", wait.waitsFor()));
    }
    return table;
  }

  /** A call of the core's by the name of PFSLib's that makes it. */
  static String pfsName(String call) {
    for (Map.Entry<String, String> name : NAMES.entrySet()) {
      if (call.equals(name.getKey()) || call.matches(name.getKey() + "[ :,].*")) {
        return name.getValue() + call.substring(name.getKey().length());
      }
    }
    return call;
  }

  private Table counters() {
    Table table = new Table(">iod", "counter", ">value");
    for (NodeReport report : state.reports()) {
      if (state.facts().nodes().stream().anyMatch(node -> node.number() == report.node())) {
        new TreeMap<>(report.counters())
            .forEach((name, value) -> table.row(report.node(), name, value));
      }
    }
    return table;
  }
}
