package org.millrace.cli.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.millrace.cli.terminal.Shown;
import org.millrace.cluster.Administration.NodeReport;
import org.millrace.output.Table;
import org.millrace.protocol.NodeFact;

/**
 * One picture of {@code millrace top}: what went on between two states of a cluster. Immutable.
 *
 * @param before the earlier state
 * @param now the later state
 */
record TopFrame(ClusterState before, ClusterState now) {

  private static final int MAX_PROCESSES = 16;
  private static final String SESSION = "session.";

  /** What a session at a node did. */
  private record Client(
      String node, String user, String session, double bytes, double operations) {}

  /** The picture, line by line. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    long down = now.facts().nodes().stream().filter(node -> !isUp(node)).count();
    lines.add(
        "millrace top: cluster %s, %s nodes%s, %s sessions, %s open files, %s waiting, over %s"
            .formatted(
                now.facts().cluster(),
                now.facts().nodes().size(),
                down > 0 ? " (" + down + " down)" : "",
                now.status().sessions(),
                now.status().opens().size(),
                now.status().waits().size(),
                Shown.nanos(now.nanos() - before.nanos())));
    add(lines, machines());
    add(lines, nodes());
    add(lines, requests());
    add(lines, processes());
    return lines;
  }

  private static void add(List<String> lines, Table table) {
    if (!table.isEmpty()) {
      lines.add("");
      lines.addAll(table.lines());
    }
  }

  private boolean isUp(NodeFact node) {
    return now.word(node).equals("up");
  }

  private double seconds() {
    return Math.max(1e-9, (now.nanos() - before.nanos()) / 1e9);
  }

  private Table machines() {
    Map<String, List<NodeFact>> byMachine = new LinkedHashMap<>();
    for (NodeFact node : now.facts().nodes()) {
      byMachine
          .computeIfAbsent(ClusterState.machine(node.address()), _ -> new ArrayList<>())
          .add(node);
    }
    Table table = table("machine", ">nodes");
    byMachine.forEach(
        (machine, nodes) -> {
          Rates rates = new Rates();
          nodes.forEach(node -> add(rates, node.number(), Rates.KINDS));
          row(table, rates, machine, nodes.size());
        });
    return table;
  }

  private Table nodes() {
    Table table = table("node", "state", ">disk read/s", ">disk written/s", ">cache");
    for (NodeFact node : now.facts().nodes()) {
      int number = node.number();
      NodeReport report = now.report(number);
      row(
          table,
          add(new Rates(), number, Rates.KINDS),
          number,
          now.word(node),
          perSecond(number, "bytesRead"),
          perSecond(number, "bytesWritten"),
          Shown.percent(report.counter("usedBytes"), report.counter("limitBytes")));
    }
    return table;
  }

  private String perSecond(int node, String counter) {
    return Shown.bytes(
        (double) Rates.grown(before.report(node), now.report(node), counter) / seconds());
  }

  private Table requests() {
    Table table = table("request");
    for (String kind : Rates.KINDS) {
      Rates rates = new Rates();
      now.facts().nodes().forEach(node -> add(rates, node.number(), List.of(kind)));
      if (rates.operations() > 0) {
        row(table, rates, kind);
      }
    }
    return table;
  }

  private Table processes() {
    List<Client> all = new ArrayList<>();
    for (NodeReport report : now.reports()) {
      for (String counter : report.counters().keySet()) {
        if (counter.startsWith(SESSION) && counter.endsWith(".bytes")) {
          all.add(client(report, counter.substring(0, counter.length() - ".bytes".length())));
        }
      }
    }
    Table table = new Table("process", "user", "node", ">bytes/s", ">operations/s");
    all.stream()
        .sorted(
            Comparator.comparingDouble(Client::bytes)
                .thenComparingDouble(Client::operations)
                .reversed())
        .limit(MAX_PROCESSES)
        .forEach(
            one ->
                table.row(
                    "session " + one.session,
                    one.user,
                    one.node,
                    Shown.bytes(one.bytes / seconds()),
                    Math.round(one.operations / seconds())));
    return table;
  }

  private Client client(NodeReport report, String name) {
    NodeReport earlier = before.report(report.node());
    int slash = name.lastIndexOf('/');
    return new Client(
        Integer.toString(report.node()),
        name.substring(SESSION.length(), slash),
        name.substring(slash + 1),
        (double) Rates.grown(earlier, report, name + ".bytes"),
        (double) Rates.grown(earlier, report, name + ".operations"));
  }

  private Rates add(Rates rates, int node, List<String> kinds) {
    return rates.add(before.report(node), now.report(node), kinds);
  }

  private static Table table(String... first) {
    List<String> headings = new ArrayList<>(List.of(first));
    headings.addAll(List.of(">bytes/s", ">operations/s", ">hits", ">mean", ">p99"));
    return new Table(headings.toArray(String[]::new));
  }

  private void row(Table table, Rates rates, Object... first) {
    List<Object> words = new ArrayList<>(List.of(first));
    words.add(Shown.bytes(rates.bytes() / seconds()));
    words.add(Math.round(rates.operations() / seconds()));
    words.add(rates.hitsShown());
    words.add(rates.meanShown());
    words.add(rates.p99Shown());
    table.row(words.toArray());
  }
}
