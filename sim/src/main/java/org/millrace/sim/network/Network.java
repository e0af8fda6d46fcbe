package org.millrace.sim.network;

import java.util.Arrays;

/**
 * Computes when messages arrive. Messages queue at both ends: a host sends one at a time and
 * receives one at a time. There is no contention in between, since messages in a large network
 * rarely collide.
 *
 * <p>What a message holds while it waits for its receiver is another matter. A worm of the networks
 * of 1994 stands in the way of all that its sender sends after it. Ethernet switches have memory:
 * the message waits there, and its sender goes on.
 *
 * <p>Called by threads of one seeded environment, which run one at a time.
 */
public final class Network {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final int HEADER_BYTES = 32;

  // constant after construction
  private final Topology topology;
  private final double bytesPerSecond;
  private final long perHopNanos;
  private final long fixedNanos;
  private final boolean switchesKeep;

  // owned by whichever thread runs
  private final Line[] sending;
  private final Line[] receiving;
  private final long[] sendingUntil;
  private final long[] receivingUntil;
  private final long[] sendingNanos;
  private final long[] receivingNanos;
  private final long[] messagesOf;
  private long messages;
  private long bytes;

  /**
   * An idle network.
   *
   * @param topology how far hosts are from each other
   * @param bytesPerSecond of a host's link, in each direction
   * @param perHopNanos of each router on the way
   * @param fixedNanos of every message, beside
   */
  public Network(Topology topology, double bytesPerSecond, long perHopNanos, long fixedNanos) {
    this(topology, bytesPerSecond, perHopNanos, fixedNanos, false);
  }

  private Network(
      Topology topology,
      double bytesPerSecond,
      long perHopNanos,
      long fixedNanos,
      boolean switchesKeep) {
    this.switchesKeep = switchesKeep;
    this.sending = lines(switchesKeep ? topology.hosts() : 0);
    this.receiving = lines(switchesKeep ? topology.hosts() : 0);
    this.topology = topology;
    this.bytesPerSecond = bytesPerSecond;
    this.perHopNanos = perHopNanos;
    this.fixedNanos = fixedNanos;
    this.sendingUntil = new long[topology.hosts()];
    this.receivingUntil = new long[topology.hosts()];
    this.sendingNanos = new long[topology.hosts()];
    this.receivingNanos = new long[topology.hosts()];
    this.messagesOf = new long[topology.hosts()];
  }

  private static Line[] lines(int count) {
    Line[] lines = new Line[count];
    Arrays.setAll(lines, _ -> new Line());
    return lines;
  }

  /**
   * The torus of Kotz and Cai's table 1: 6 x 6 hosts, 200e6 bytes a second on each link and in each
   * direction, 20 ns for each router.
   */
  public static Network torus1994() {
    return new Network(new Topology.Torus(6, 6), 200e6, 20, 0);
  }

  /**
   * Hosts at one switch, as Ethernet of so many gigabits has it: a microsecond for the switch, two
   * and a half for each of the two interfaces.
   */
  public static Network lan(int hosts, double gigabits) {
    return new Network(new Topology.Lan(hosts), gigabits / 8 * 1e9, 1_000, 5_000);
  }

  /**
   * A fat tree of Ethernet, with as much bandwidth at every level: two and a half microseconds for
   * each of the two interfaces, 300 nanoseconds for each switch of {@code radix} ports downwards.
   * Switches keep what its receiver has no time for.
   */
  public static Network fatTree(int hosts, int radix, double gigabits) {
    return new Network(new Topology.FatTree(hosts, radix), gigabits / 8 * 1e9, 300, 5_000, true);
  }

  /** Sends a message now, and says at which instant all of it will have arrived. */
  public long send(long nowNanos, int from, int to, long payload) {
    return send(nowNanos, from, to, payload, 1);
  }

  /** Sends so many messages one after the other, with so many bytes in all beside their headers. */
  public long send(long nowNanos, int from, int to, long payload, long count) {
    long size = payload + count * HEADER_BYTES;
    messages += count;
    messagesOf[from] += count;
    messagesOf[to] += count;
    bytes += size;
    if (from == to) {
      return nowNanos;
    }
    long nanos = Math.round(size / bytesPerSecond * NANOS_PER_SECOND);
    sendingNanos[from] += nanos;
    receivingNanos[to] += nanos;
    return pass(nowNanos, from, to, nanos) + fixedNanos + topology.hops(from, to) * perHopNanos;
  }

  /** When a message has passed both links, the way between them left out. */
  private long pass(long nowNanos, int from, int to, long nanos) {
    if (switchesKeep) {
      long sent = sending[from].take(nowNanos, nanos);
      return receiving[to].take(sent, nanos) + nanos;
    }
    long start = Math.max(nowNanos, Math.max(sendingUntil[from], receivingUntil[to]));
    sendingUntil[from] = start + nanos;
    receivingUntil[to] = start + nanos;
    return start + nanos;
  }

  /** How many hosts it connects. */
  public int hosts() {
    return topology.hosts();
  }

  /** How many messages were sent. */
  public long messages() {
    return messages;
  }

  /** How many messages a host sent and received. */
  public long messages(int host) {
    return messagesOf[host];
  }

  /** How many bytes were sent. */
  public long bytes() {
    return bytes;
  }

  /** For how long a host's link carried something, in the direction in which it carried more. */
  public long busyNanos(int host) {
    return Math.max(sendingNanos[host], receivingNanos[host]);
  }

  /** Begins to count anew. */
  public void forget() {
    messages = 0;
    bytes = 0;
    Arrays.fill(sendingNanos, 0);
    Arrays.fill(receivingNanos, 0);
    Arrays.fill(messagesOf, 0);
  }
}
