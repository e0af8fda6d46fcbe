package org.millrace.sim.network;

/**
 * When messages arrive. Messages queue at both ends: a host sends one at a time and receives one at
 * a time; in between there is room for all, as worms that cross in a large network rarely meet.
 *
 * <p>Called by threads of one seeded environment, which run one at a time.
 */
public final class Network {

  private static final double NANOS_PER_SECOND = 1e9;

  // constant after construction
  private final Topology topology;
  private final double bytesPerSecond;
  private final long perHopNanos;
  private final long fixedNanos;

  // owned by whichever thread runs
  private final long[] sendingUntil;
  private final long[] receivingUntil;
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
    this.topology = topology;
    this.bytesPerSecond = bytesPerSecond;
    this.perHopNanos = perHopNanos;
    this.fixedNanos = fixedNanos;
    this.sendingUntil = new long[topology.hosts()];
    this.receivingUntil = new long[topology.hosts()];
  }

  /** Sends a message now, and says at which instant all of it will have arrived. */
  public long send(long nowNanos, int from, int to, long size) {
    messages++;
    bytes += size;
    if (from == to) {
      return nowNanos;
    }
    long start = Math.max(nowNanos, Math.max(sendingUntil[from], receivingUntil[to]));
    long end = start + Math.round(size / bytesPerSecond * NANOS_PER_SECOND);
    sendingUntil[from] = end;
    receivingUntil[to] = end;
    return end + fixedNanos + topology.hops(from, to) * perHopNanos;
  }

  /** How many hosts it connects. */
  public int hosts() {
    return topology.hosts();
  }

  /** How many messages were sent. */
  public long messages() {
    return messages;
  }

  /** How many bytes were sent. */
  public long bytes() {
    return bytes;
  }
}
