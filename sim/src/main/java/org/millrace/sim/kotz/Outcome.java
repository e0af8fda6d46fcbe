package org.millrace.sim.kotz;

/**
 * The results of one run of the I/O application. Shares are between 0 and 1. Immutable.
 *
 * @param hardware what it ran on
 * @param pattern what it did
 * @param system by which file system
 * @param bytes how much it moved
 * @param seconds how long it took, in virtual time
 * @param free the share of the nodes' time left for computing
 * @param freeWithBarriers the same for an application that synchronizes
 * @param computed what an application that really ran on the nodes has had
 * @param computedWithBarriers the same for an application that synchronizes
 * @param shares for how long parts of the machine were busy
 * @param interruptions of computing, on all nodes
 * @param messages on the network
 * @param reads of all disks
 * @param writes of all disks
 * @param traceHash equal for equal courses
 */
public record Outcome(
    String hardware,
    AccessPattern pattern,
    FileSystem system,
    long bytes,
    double seconds,
    double free,
    double freeWithBarriers,
    double computed,
    double computedWithBarriers,
    Shares shares,
    long interruptions,
    long messages,
    long reads,
    long writes,
    long traceHash) {

  /** Throughput, in 2^20 bytes a second, as the paper counts. */
  public double megabytesPerSecond() {
    return bytes / (double) (1 << 20) / seconds;
  }

  /** Microseconds of a node's processor for each block of the file. */
  public double nodeMicrosPerBlock() {
    double blocks = (double) bytes / AccessPattern.BLOCK;
    return shares.nodes() * seconds * Experiment.PROCESSES / blocks * 1e6;
  }
}
