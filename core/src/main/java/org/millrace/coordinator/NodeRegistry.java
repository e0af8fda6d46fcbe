package org.millrace.coordinator;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Peer;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.NodeUse;

/**
 * Addresses of nodes, and which of them are up. A node is up while its last session that registered
 * is alive. Guarded by the coordinator's lock.
 */
final class NodeRegistry {

  private static final int MAX_ADDRESS_CHARS = 1024;
  private static final long LEASE_NANOS = CoordinatorRequest.Heartbeat.LEASE_NANOS;

  /** For so long, beside the sessions' grace, nodes may take to come after a start. */
  static final long STARTING_NANOS = 3 * LEASE_NANOS;

  /** What is known of one node. */
  private record Place(long session, NodeFact fact) {}

  // constant after construction
  private final Env env;

  private final NodeRoster roster;
  private final long expectedNanos; // until when nodes of the life before are expected back

  // guarded by the coordinator's lock
  private final List<Place> places = new ArrayList<>();
  private long[] leaseEndNanos; // by node

  NodeRegistry(Env env, NodeRoster roster, Life life) {
    int nodes = roster.count();
    this.roster = roster;
    this.env = env;
    this.expectedNanos = life.graceNanos() == 0 ? env.nanoTime() : life.graceEndNanos(env);
    this.leaseEndNanos = new long[nodes];
    Arrays.fill(leaseEndNanos, env.deadlineAfter(LEASE_NANOS)); // of a life before
    for (int node = 0; node < nodes; node++) {
      places.add(new Place(0, new NodeFact(node, "", false, "never registered")));
    }
  }

  /**
   * A second registration of a running node replaces the first: the node was restarted before its
   * end was noticed.
   */
  void register(Peer from, int node, String address) throws MillraceException {
    checkNode(node);
    if (address.length() > MAX_ADDRESS_CHARS) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "an address of %s characters, at most %s are possible"
              .formatted(address.length(), MAX_ADDRESS_CHARS));
    }
    places.set(node, new Place(from.session(), new NodeFact(node, address, true, "up")));
  }

  /** There is one more, which has not come yet. */
  void add(int node) {
    places.add(new Place(0, new NodeFact(node, "", false, "never registered")));
    leaseEndNanos = Arrays.copyOf(leaseEndNanos, places.size());
    leaseEndNanos[node] = env.nanoTime();
  }

  /** Whether a node is there. */
  boolean isUp(int node) {
    return places.get(node).fact.up();
  }

  /**
   * A node has just sent a heartbeat: it may serve strands with copies for a while, if it has
   * registered in this session. One that has not takes no lease from the answer, and may never get
   * as far: others must not wait for it.
   */
  void onHeartbeat(Peer from, int node) {
    Place place = places.get(node);
    if (place.fact.up() && place.session == from.session()) {
      leaseEndNanos[node] = env.deadlineAfter(LEASE_NANOS);
    }
  }

  /** For how long a node may still serve strands with copies; 0 or less if it may not. */
  long leaseLeftNanos(int node) {
    return leaseEndNanos[node] - env.nanoTime();
  }

  /** For how long the last of the nodes that are down may still serve strands with copies. */
  long leaseLeftNanos() {
    return down().stream().mapToLong(this::leaseLeftNanos).max().orElse(0);
  }

  /** Whether a node is not there, and will not be soon. */
  boolean isDown(int node) {
    return down().contains(node);
  }

  /**
   * Nodes that are not there, and not expected soon. Those that never registered in this life are
   * among them once they had time to, if any node registers at all.
   */
  List<Integer> down() {
    boolean expected = env.nanoTime() < expectedNanos + STARTING_NANOS;
    boolean any = places.stream().anyMatch(place -> !place.fact.address().isEmpty());
    return places.stream()
        .map(Place::fact)
        .filter(fact -> any && !fact.up() && !(expected && fact.address().isEmpty()))
        .map(NodeFact::number)
        .toList();
  }

  void checkNode(int node) throws MillraceException {
    if (node < 0 || node >= places.size()) {
      throw new MillraceException(
          ErrorCode.INVALID, "node " + node + " is not in 0.." + (places.size() - 1));
    }
  }

  /** Returns whether a node was lost with it. */
  boolean onSessionEnd(Peer peer, String reason) {
    boolean lost = false;
    for (int node = 0; node < places.size(); node++) {
      Place place = places.get(node);
      if (place.fact.up() && place.session == peer.session()) {
        String state = "down since " + Instant.ofEpochMilli(env.wallMillis()) + ": " + reason;
        NodeFact down = new NodeFact(node, place.fact.address(), false, state);
        places.set(node, new Place(0, down));
        lost = true;
      }
    }
    return lost;
  }

  /** The date on which capabilities are issued. */
  long nowMillis() {
    return env.wallMillis();
  }

  List<NodeFact> facts() {
    boolean expected = env.nanoTime() < expectedNanos;
    return places.stream()
        .map(Place::fact)
        .map(fact -> expected && fact.address().isEmpty() ? fact.expected() : fact)
        .map(fact -> roster.use(fact.number()) == NodeUse.REMOVED ? fact.removed() : fact)
        .toList();
  }

  /** Sessions of nodes that are up. */
  List<Long> sessions() {
    return places.stream().filter(place -> place.fact.up()).map(Place::session).toList();
  }
}
