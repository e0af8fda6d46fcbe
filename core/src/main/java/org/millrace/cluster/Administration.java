package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.millrace.coordinator.Health;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.Status;
import org.millrace.transfer.NodeLinks;

/**
 * Administrative requests to a cluster. If a node does not answer, the reports of the others are
 * still returned.
 *
 * <p>Safe for use by several threads. Lives as long as its cluster; nothing to close.
 */
public final class Administration {

  /**
   * What a node tells about itself.
   *
   * @param node its number
   * @param counters numbers by name, as the node gives them; none if it did not answer
   * @param error why the node did not answer; empty if it did
   */
  public record NodeReport(int node, Map<String, Long> counters, String error) {

    /** Keeps a copy. */
    public NodeReport {
      counters = Map.copyOf(counters);
    }

    /** Whether the node answered. */
    public boolean isHere() {
      return error.isEmpty();
    }

    /** A counter; 0 if the node has none of that name. */
    public long counter(String name) {
      return counters.getOrDefault(name, 0L);
    }
  }

  private static final long TIMEOUT_NANOS = 10_000_000_000L;
  private static final long ENDING_NANOS = 60_000_000_000L;
  private static final long PAUSE_NANOS = 50_000_000L;

  private final Env env;
  private final ClusterConnection connection;

  /** For the cluster behind a connection. */
  public Administration(Env env, ClusterConnection connection) {
    this.env = env;
    this.connection = connection;
  }

  /** Which nodes there are, where, and whether they are up. */
  public CoordinatorReply.Facts facts() throws IOException {
    return (CoordinatorReply.Facts) ask(new CoordinatorRequest.AskCluster());
  }

  /** What the coordinator says of itself, as counters; none if it does not. */
  public static Map<String, Long> health(CoordinatorReply.Facts facts) {
    return Health.of(facts.settings());
  }

  /** The nodes whose directories are not where the coordinator's is, as far as they ever came. */
  public List<Integer> nodesElsewhere() throws IOException {
    return StoredPlaces.elsewhere(facts().settings());
  }

  /** The coordinator's status: groups, open files, pointers, which ranks wait for which. */
  public Status status() throws IOException {
    return ((CoordinatorReply.Doing) ask(new CoordinatorRequest.AskStatus())).status();
  }

  /** What ranks have said of their last collective calls. */
  public CoordinatorReply.Calls calls() throws IOException {
    return (CoordinatorReply.Calls) ask(new CoordinatorRequest.AskCalls());
  }

  /**
   * Takes open files away from the groups that have them; all files if none is named. Nodes learn
   * of it within a second or two. Returns how many opens ended.
   */
  public long reset(List<String> paths) throws IOException {
    return ((CoordinatorReply.Value) ask(new CoordinatorRequest.Reset(paths))).value();
  }

  /**
   * The nodes' reports, by number. All are requested at once, but none elsewhere of which the
   * coordinator knows that it is down: the wait for an answer would be long.
   */
  public List<NodeReport> reports() throws IOException {
    Map<Integer, Pending> pendings = new LinkedHashMap<>();
    List<NodeReport> reports = new ArrayList<>();
    try (NodeLinks links = connection.nodeLinks()) {
      for (NodeFact node : facts().nodes()) {
        int number = node.number();
        if (node.up() || !links.isGuarded(number)) {
          var request = new NodeRequest.AskReport();
          pendings.put(number, links.link(number).start(request, MemorySegment.NULL));
        } else {
          reports.add(new NodeReport(number, Map.of(), node.state()));
        }
      }
      long deadline = env.deadlineAfter(TIMEOUT_NANOS);
      pendings.forEach((number, pending) -> reports.add(report(number, pending, deadline)));
    }
    reports.sort(Comparator.comparingInt(NodeReport::node));
    return reports;
  }

  private static NodeReport report(int node, Pending pending, long deadline) {
    try {
      return new NodeReport(node, ((NodeReply.Report) pending.await(deadline)).counters(), "");
    } catch (IOException e) {
      return new NodeReport(node, Map.of(), reason(e));
    }
  }

  private static String reason(IOException e) {
    String message = e.getMessage();
    return message == null || message.isEmpty() ? e.getClass().getSimpleName() : message;
  }

  /**
   * Ends the cluster's processes: all nodes that are up, then the coordinator. Returns how many
   * there were, when none of them answers any more. Only the superuser may. Whether a node could
   * make everything durable is in its log, since it can no longer be asked.
   */
  public int shutdown() throws IOException {
    int nodes = 0;
    try (NodeLinks links = connection.nodeLinks()) {
      for (NodeFact node : facts().nodes()) {
        if (node.up()) {
          links
              .link(node.number())
              .call(new NodeRequest.Shutdown(), MemorySegment.NULL, deadline());
          nodes++;
        }
      }
    }
    long deadline = env.deadlineAfter(ENDING_NANOS);
    for (List<Integer> up = up(); !up.isEmpty(); up = up()) {
      if (env.nanoTime() > deadline) {
        throw new DeadlineException(
            "nodes %s have not ended within %s s".formatted(up, ENDING_NANOS / 1_000_000_000L));
      }
      Pause.of(env, PAUSE_NANOS);
    }
    try (Link link = connection.coordinator()) {
      link.call(new CoordinatorRequest.Shutdown(), MemorySegment.NULL, deadline());
      while (answers(link)) {
        if (env.nanoTime() > deadline) {
          throw new DeadlineException("the coordinator has not ended");
        }
        Pause.of(env, PAUSE_NANOS);
      }
    }
    return nodes + 1;
  }

  /**
   * Has all nodes begin to scrub their disks.
   *
   * @param bytesPerSecond the most that each reads; 0 for no limit
   */
  public ScrubRun scrub(long bytesPerSecond) throws IOException {
    List<NodeFact> nodes = facts().nodes();
    ScrubRun run = new ScrubRun(env, connection.nodeLinks(), connection.coordinator());
    try {
      run.begin(nodes, bytesPerSecond);
      return run;
    } catch (IOException | RuntimeException e) {
      run.close();
      throw e;
    }
  }

  /** Requests about nodes. */
  public NodeAdministration nodes() {
    return new NodeAdministration(this);
  }

  private List<Integer> up() throws IOException {
    return facts().nodes().stream().filter(NodeFact::up).map(NodeFact::number).toList();
  }

  private boolean answers(Link coordinator) {
    try {
      coordinator.call(new CoordinatorRequest.AskCluster(), MemorySegment.NULL, deadline());
      return true;
    } catch (IOException e) {
      return false; // it is gone, or another one has come
    }
  }

  private long deadline() {
    return env.deadlineAfter(TIMEOUT_NANOS);
  }

  Message ask(CoordinatorRequest request) throws IOException {
    try (Link link = connection.coordinator()) {
      return link.call(request, MemorySegment.NULL, env.deadlineAfter(TIMEOUT_NANOS));
    }
  }
}
