package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Fence;

/**
 * Sessions that ended while they held locks, and which nodes already refuse their writes. A session
 * that was cut off may still reach nodes, and its requests may be carried out late; so its locks
 * are passed on only when all nodes of its files have carried out the fence. Nothing is known of
 * the locks of sessions of an earlier epoch of the coordinator: a file is locked only when its
 * nodes have fenced all of them.
 *
 * <p>A node that does not say so in time makes requests for such locks fail, until it does. Where
 * there is no secret all are in one JVM, no session is cut off, and nothing is fenced.
 *
 * <p>Guarded by the coordinator's lock. Of too many fences the oldest are forgotten: a node that is
 * restarted does not hear of them.
 */
final class Fences {

  /**
   * How long a lock waits for nodes: a few of their heartbeats, and the time to start one again.
   */
  static final long OVERDUE_NANOS = 10_000_000_000L;

  /** How many fences a node is sent at a time. */
  static final int MAX_AT_A_TIME = 1024;

  private static final int MAX = 1 << 18;
  private static final long NOT_OF_THIS_EPOCH = -1;

  /**
   * What must have happened before a lock is another's.
   *
   * @param number the fence that nodes must have carried out; 0 for all earlier lives
   * @param nodes which nodes
   * @param overdueNanos from when on nobody waits for that
   */
  record Barrier(long number, Set<Integer> nodes, long overdueNanos) {}

  // constant after construction
  private final Env env;
  private final CapabilityIssuer issuer;
  private final Names names;
  private final boolean needed;
  private final long firstOverdueNanos;

  // guarded by the coordinator's lock
  private final TreeMap<Long, Fence> byNumber = new TreeMap<>();
  private long[] carriedOut; // by node: up to which number
  private int unknownNodes;
  private long nextNumber = 1;
  private @Nullable List<Long> returned; // null while sessions may come back

  Fences(Env env, CapabilityIssuer issuer, Names names, CoordinatorOptions options, Life life) {
    this.returned = life.graceNanos() == 0 ? List.of() : null;
    this.env = env;
    this.issuer = issuer;
    this.names = names;
    this.needed = options.secret().isPresent();
    this.firstOverdueNanos = env.nanoTime() + life.graceNanos() + OVERDUE_NANOS;
    NodeRoster roster = new NodeRoster(options, names);
    this.carriedOut = new long[roster.count()];
    roster.present().forEach(node -> carriedOut[node] = NOT_OF_THIS_EPOCH);
    this.unknownNodes = needed ? roster.present().size() : 0;
  }

  /** There is one more node; no session of an earlier epoch has ever written there. */
  void add(int node) {
    carriedOut = Arrays.copyOf(carriedOut, node + 1);
  }

  /** The coordinator's. */
  long epoch() {
    return issuer.epoch();
  }

  boolean areNeeded() {
    return needed;
  }

  /**
   * A session has ended that holds locks and may still write to these files. Empty if none of them
   * is anywhere.
   */
  Optional<Barrier> begin(long session, Set<Long> files) {
    Set<Integer> nodes = new TreeSet<>();
    files.forEach(file -> nodes.addAll(nodesOf(file)));
    if (nodes.isEmpty()) {
      return Optional.empty();
    }
    long now = env.wallMillis();
    byNumber.values().removeIf(fence -> fence.untilMillis() <= now);
    if (byNumber.size() >= MAX) {
      byNumber.pollFirstEntry();
    }
    Fence fence = new Fence(nextNumber++, session, issuer.untilMillis());
    byNumber.put(fence.number(), fence);
    return Optional.of(new Barrier(fence.number(), nodes, env.nanoTime() + OVERDUE_NANOS));
  }

  /** What keeps a file from being locked at all: nodes of it that may serve an earlier epoch. */
  Optional<Barrier> ofFile(long file) {
    if (unknownNodes == 0) {
      return Optional.empty();
    }
    Barrier earlier = new Barrier(0, Set.copyOf(nodesOf(file)), firstOverdueNanos);
    return isDone(earlier) ? Optional.empty() : Optional.of(earlier);
  }

  private List<Integer> nodesOf(long file) {
    return names
        .byId(file)
        .filter(NameEntry::isFile)
        .map(entry -> entry.currentLayout().nodes())
        .orElse(List.of());
  }

  boolean isDone(Barrier barrier) {
    return barrier.nodes.stream().allMatch(node -> carriedOut[node] >= barrier.number);
  }

  boolean isOverdue(Barrier barrier) {
    return env.nanoTime() >= barrier.overdueNanos;
  }

  /** Why a lock cannot be had. */
  MillraceException error(Barrier barrier) {
    List<Integer> missing =
        barrier.nodes.stream().filter(node -> carriedOut[node] < barrier.number).sorted().toList();
    return new MillraceException(
        ErrorCode.NODE,
        "nodes %s have not confirmed within %s s that they refuse writes of %s: what was locked cannot be locked again"
            .formatted(
                missing,
                OVERDUE_NANOS / 1_000_000_000L,
                barrier.number == 0
                    ? "sessions from before the coordinator's restart"
                    : "a session that has ended"));
  }

  /**
   * Sessions of earlier lives have come back, or not: nodes refuse the writes of all others from
   * now on.
   */
  void decide(List<Long> sessions) {
    returned = List.copyOf(sessions);
  }

  /** Whether all nodes refuse the writes of sessions of earlier lives that did not come back. */
  boolean isSettled() {
    return unknownNodes == 0 || returned != null && env.nanoTime() >= firstOverdueNanos;
  }

  /** When nobody waits for the nodes any more that have not said so. */
  long overdueNanos() {
    return firstOverdueNanos;
  }

  /** Which sessions of earlier lives a node lets write; none while that is not known. */
  Optional<List<Long>> returned(CoordinatorRequest.Heartbeat heartbeat) {
    boolean known = heartbeat.epoch() == issuer.epoch() && heartbeat.fenced() >= 0;
    return Optional.ofNullable(known ? List.<Long>of() : returned);
  }

  /** A node says how far it has come; returns what it has to do next. */
  List<Fence> onHeartbeat(CoordinatorRequest.Heartbeat heartbeat) {
    if (returned == null) {
      return List.of(); // first those of earlier lives
    }
    boolean known = heartbeat.epoch() == issuer.epoch();
    long before = carriedOut[heartbeat.node()];
    if (known && heartbeat.fenced() > before) {
      carriedOut[heartbeat.node()] = heartbeat.fenced();
      unknownNodes -= needed && before == NOT_OF_THIS_EPOCH ? 1 : 0;
    }
    List<Fence> next = new ArrayList<>();
    for (Fence fence : byNumber.tailMap(known ? heartbeat.fenced() : 0, false).values()) {
      if (next.size() == MAX_AT_A_TIME) {
        break;
      }
      next.add(fence);
    }
    return next;
  }
}
