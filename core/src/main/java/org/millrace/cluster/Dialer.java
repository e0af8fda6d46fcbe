package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.millrace.client.assembly.SessionFacts;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Destination;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Peer;
import org.millrace.message.SharedBuffers;
import org.millrace.message.Transport;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeFact;
import org.millrace.wire.Address;

/**
 * Connects this process to the endpoints of a cluster: by method calls to those in this process, by
 * connections to all others.
 *
 * <p>Safe for use by several threads. What it makes is the caller's to close.
 */
public final class Dialer {

  /** What the coordinator is asked for by. */
  public static final String COORDINATOR = "coordinator";

  /** As long as a process of a very busy machine may take for its handshake. */
  private static final long CONNECT_NANOS = 30_000_000_000L;

  private static final long PRESENT_NANOS = 2_000_000_000L;

  /** How often a coordinator is asked whether a node has come back to it. */
  private static final long BACK_NANOS = 20_000_000L;

  // constant after construction
  private final Env env;
  private final Transport transport;
  private final ClusterLocation location;
  private final boolean returning;
  private final String user = System.getProperty("user.name", "unknown");
  // from the lower end: those of connections count up from the other
  private final AtomicLong sessions = new AtomicLong(Long.MIN_VALUE);

  private final Map<String, Endpoint> here = new ConcurrentHashMap<>();

  /** The mapped pointers of the coordinator that said they are at {@code place}. */
  private record Pointers(String place, MemorySegment cells) {}

  // of the coordinator that was asked last: mapped once for all links to it
  private volatile Pointers pointers = new Pointers("", MemorySegment.NULL);

  /** Reaches others by a transport. */
  public Dialer(Env env, Transport transport, ClusterLocation location) {
    this(env, transport, location, true);
  }

  /**
   * As above.
   *
   * @param returning whether the coordinator may be restarted, so that sessions wait for it and
   *     return
   */
  public Dialer(Env env, Transport transport, ClusterLocation location, boolean returning) {
    this.returning = returning;
    this.env = env;
    this.transport = transport;
    this.location = location;
  }

  /** What a node is asked for by. */
  public static String nameOfNode(int number) {
    return "node " + number;
  }

  /** What a rank is asked for by. */
  public static String nameOfParticipant(int rank) {
    return "rank " + rank;
  }

  /** From now on this endpoint is in this process. */
  public void add(String name, Endpoint endpoint) {
    here.put(name, endpoint);
  }

  /** Whether an endpoint lives in this process. */
  public boolean isHere(String name) {
    return here.containsKey(name);
  }

  /** A link to the coordinator that ends with it, for nodes: they register at each new one. */
  public Link coordinatorOfNode() throws IOException {
    return isHere(COORDINATOR)
        ? local(COORDINATOR)
        : transport.connect(destination(), COORDINATOR, deadline());
  }

  /** Fails at once if there is none. */
  private Destination destination() throws IOException {
    location.coordinator();
    return location.destination();
  }

  /** A link to the coordinator. It survives restarts of the coordinator, if its cluster does. */
  public Link coordinator() throws IOException {
    if (isHere(COORDINATOR)) {
      return local(COORDINATOR);
    }
    SessionFacts known = new SessionFacts();
    Link link =
        returning
            ? transport.connect(destination(), COORDINATOR, deadline(), known)
            : transport.connect(destination(), COORDINATOR, deadline());
    if (transport.sharedBuffers() == SharedBuffers.NONE) {
      return link;
    }
    try {
      long recalls = known.recalls();
      known.cells(pointers(facts(link)), recalls);
      return new PointerLink(link, known, coordinator -> pointers(facts(coordinator)));
    } catch (IOException | RuntimeException e) {
      link.close();
      throw e;
    }
  }

  /** The pointers of the very coordinator that said so: a later one has others, of equal keys. */
  private MemorySegment pointers(CoordinatorReply.Facts facts) {
    String place = SharedPointers.place(facts.settings());
    Pointers known = pointers;
    if (!place.equals(known.place)) {
      known = new Pointers(place, SharedPointers.at(place, env));
      pointers = known;
    }
    return known.cells;
  }

  /** What the coordinator says of the cluster. */
  public CoordinatorReply.Facts facts(Link coordinator) throws IOException {
    var request = new CoordinatorRequest.AskCluster();
    return (CoordinatorReply.Facts) coordinator.call(request, MemorySegment.NULL, deadline());
  }

  /** What the coordinator says when a node is back that it expects after a restart, or is not. */
  CoordinatorReply.Facts awaitNode(Link coordinator, int number) throws IOException {
    long deadline = deadline();
    CoordinatorReply.Facts said = facts(coordinator);
    while (said.nodes().get(number).isExpected() && env.nanoTime() < deadline) {
      Pause.of(env, BACK_NANOS);
      said = facts(coordinator);
    }
    return said;
  }

  /** The time by which connections are made. */
  long nanoTime() {
    return env.nanoTime();
  }

  /** A link to a node; it is waited for if it is said to be up. */
  Link node(NodeFact fact) throws IOException {
    return node(fact, fact.up(), deadline());
  }

  /** A link to a node that is there; one that answers so slowly is not. */
  Link presentNode(NodeFact fact) throws IOException {
    return node(fact, false, env.deadlineAfter(PRESENT_NANOS));
  }

  private Link node(NodeFact fact, boolean waits, long deadlineNanos) throws IOException {
    String name = nameOfNode(fact.number());
    if (isHere(name)) {
      return local(name);
    }
    if (fact.address().isEmpty()) {
      throw new MillraceException(ErrorCode.NODE, name + " is not there: " + fact.state());
    }
    try {
      Address at = Address.parse(fact.address());
      return waits
          ? transport.connect(at, name, deadlineNanos)
          : transport.connectToPresent(at, name, deadlineNanos);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.NODE,
          "%s does not answer (%s): %s".formatted(name, fact.state(), e.getMessage()),
          e);
    }
  }

  /** A link to another rank of the job. */
  public Link participant(int rank, String inbox) throws IOException {
    String name = nameOfParticipant(rank);
    if (isHere(name)) {
      return local(name);
    }
    return transport.connectToPresent(Address.parse(inbox), name, deadline());
  }

  /** A session at an endpoint of this process. */
  public Link local(String name) throws MillraceException {
    Endpoint endpoint = here.get(name);
    if (endpoint == null) {
      throw new MillraceException(ErrorCode.CLOSED, name + " has ended");
    }
    return Links.local(env, new Peer(sessions.getAndIncrement(), user), endpoint);
  }

  private long deadline() {
    return env.deadlineAfter(CONNECT_NANOS);
  }
}
