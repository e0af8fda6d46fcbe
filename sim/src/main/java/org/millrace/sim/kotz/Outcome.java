package org.millrace.sim.kotz;

/**
 * What one run of the I/O application gave. Immutable.
 *
 * @param hardware what it ran on
 * @param pattern what it did
 * @param system by which file system
 * @param bytes how much it moved
 * @param seconds how long it took, in virtual time
 * @param free the share of the nodes' time left for computing
 * @param freeWithBarriers the same for an application that synchronizes
 * @param busy the share of the nodes' time that was spent on I/O
 * @param interruptions of computing, on all nodes
 * @param messages on the network
 * @param transfers of all disks
 * @param diskBusy the share of their time for which the disks were busy
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
    double busy,
    long interruptions,
    long messages,
    long transfers,
    double diskBusy,
    long traceHash) {

  /** Throughput, in 2^20 bytes a second, as the paper counts. */
  public double megabytesPerSecond() {
    return bytes / (double) (1 << 20) / seconds;
  }
}
