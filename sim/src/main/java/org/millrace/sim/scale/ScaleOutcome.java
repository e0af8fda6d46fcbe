package org.millrace.sim.scale;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.millrace.sim.disk.FlatDisk;

/**
 * What one run gave. Immutable.
 *
 * @param what was done
 * @param seconds how long the call took, from the first rank that began to the last that ended
 * @param free the share of all nodes' processor time that was left
 * @param messages on the network
 * @param coordinatorMessages of these, to and from the coordinator
 * @param networkBytes on the network
 * @param transfers of all disks
 * @param nodeBytes memory of the node that took most: cache, and requests under way
 * @param rankBytes memory of the rank that took most: answers and pieces under way, what all ranks
 *     want, and the buffer of its file domain if it has one
 * @param busy of each kind of resource, the share of the time for which the busiest worked
 * @param traceHash equal for equal courses
 */
public record ScaleOutcome(
    Case what,
    double seconds,
    double free,
    long messages,
    long coordinatorMessages,
    long networkBytes,
    long transfers,
    long nodeBytes,
    long rankBytes,
    Map<Resource, Double> busy,
    long traceHash) {

  /**
   * Whatever is less busy does not say why a run takes long: it waits for messages and meetings.
   */
  private static final double MUCH = 0.5;

  /** Copies the map. */
  public ScaleOutcome {
    busy = Collections.unmodifiableMap(new EnumMap<>(busy));
  }

  /** Throughput of all nodes, in 10^9 bytes a second. */
  public double gigabytesPerSecond() {
    return what.bytes() / 1e9 / seconds;
  }

  /** Throughput of each node, in 10^6 bytes a second. */
  public double megabytesPerSecondOfNode() {
    return what.bytes() / 1e6 / seconds / what.nodes();
  }

  /** What a disk alone would take for its part, as a share of what the call took. */
  public double shareOfDisks() {
    long part = what.bytes() / what.nodes();
    return FlatDisk.ssd().finish(0, 0, part, what.write()) / 1e9 / seconds;
  }

  /** What was busiest, and for which share of the time. */
  public Map.Entry<Resource, Double> busiest() {
    return busy.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
  }

  /** What it waited for, in words. */
  public String limit() {
    Map.Entry<Resource, Double> most = busiest();
    return most.getValue() < MUCH ? "latency" : most.getKey().words();
  }
}
