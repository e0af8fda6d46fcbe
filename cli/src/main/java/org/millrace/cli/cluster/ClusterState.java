package org.millrace.cli.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.millrace.cli.terminal.Shown;
import org.millrace.cluster.Administration;
import org.millrace.cluster.Administration.NodeReport;
import org.millrace.daemon.ReplicatedCoordinator;
import org.millrace.env.Env;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.Status;

/**
 * What a cluster was like at one moment. Immutable.
 *
 * @param nanos when, on this process's clock
 * @param facts which nodes there are
 * @param status what the coordinator does
 * @param reports what the nodes say, by number
 */
public record ClusterState(long nanos, Facts facts, Status status, List<NodeReport> reports) {

  /** What a cluster says of itself now. */
  public static ClusterState of(Env env, Administration administration) throws IOException {
    Status status = administration.status();
    List<NodeReport> reports = administration.reports(); // has the coordinator look at its disk
    Facts facts = administration.facts();
    return new ClusterState(env.nanoTime(), facts, status, reports);
  }

  /**
   * One of several coordinators.
   *
   * @param role "leader", "follower" or "silent"
   * @param silentMillis for how long the leader has not heard of it
   */
  public record OfCoordinator(int number, String role, long silentMillis) {}

  /** All of several coordinators, by number; empty if there is one alone. */
  public List<OfCoordinator> coordinators() {
    String said = facts.settings().getOrDefault(ReplicatedCoordinator.MEMBERS_SETTING, "");
    return Arrays.stream(said.split(","))
        .map(one -> one.split(" "))
        .filter(one -> one.length == 3)
        .map(one -> new OfCoordinator(Integer.parseInt(one[0]), one[1], Long.parseLong(one[2])))
        .sorted(Comparator.comparingInt(OfCoordinator::number))
        .toList();
  }

  /** What a node is up to. */
  public String state(NodeFact node) {
    if (!node.up()) {
      return node.state();
    }
    NodeReport report = report(node.number());
    return report.isHere() ? "up" : report.error();
  }

  /** The same in one word: up, down, or silent if it is up for the coordinator only. */
  public String word(NodeFact node) {
    if (!node.up()) {
      return node.isRemoved() ? "removed" : "down";
    }
    return report(node.number()).isHere() ? "up" : "silent";
  }

  /** What a node says; that it was not asked if there is nothing. */
  public NodeReport report(int node) {
    for (NodeReport report : reports) {
      if (report.node() == node) {
        return report;
      }
    }
    return new NodeReport(node, Map.of(), "it was not asked");
  }

  /** What is not as it should be, a line each. */
  public List<String> problems(long maxWaitNanos) {
    List<String> problems = new ArrayList<>();
    for (OfCoordinator one : coordinators()) {
      if (one.role().equals("silent")) {
        problems.add(
            "coordinator %s is silent: bring it back with millrace up, or another in its place with"
                    .formatted(one.number())
                + " millrace coordinators replace "
                + one.number());
      }
    }
    problems.addAll(CoordinatorTroubles.of(facts, reports));
    for (NodeFact node : facts.nodes()) {
      if (node.isRemoved()) {
        continue;
      }
      if (!word(node).equals("up")) {
        problems.add("node " + node.number() + " is " + word(node) + ": " + state(node));
      }
      problems.addAll(NodeTroubles.of(report(node.number())));
    }
    for (var wait : status.waits()) {
      if (wait.sinceNanos() > maxWaitNanos) {
        problems.add(
            "rank %s of group %s has been waiting for %s in %s"
                .formatted(wait.rank(), wait.group(), Shown.nanos(wait.sinceNanos()), wait.call()));
      }
    }
    return problems;
  }

  /** The machine in an address: the host's name, or this one. */
  static String machine(String address) {
    if (address.startsWith("tcp:") || address.startsWith("tls:")) {
      String host = address.substring(4, Math.max(4, address.lastIndexOf(':')));
      return host.replaceAll("[\\[\\]]", "");
    }
    return address.isEmpty() ? "-" : "localhost";
  }
}
