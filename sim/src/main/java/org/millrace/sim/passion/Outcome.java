package org.millrace.sim.passion;

/**
 * What one reading gave. Immutable.
 *
 * @param workload what was read
 * @param method how
 * @param columns of the array that were read; if they are not all, what the others would take is
 *     computed from them
 * @param seconds how long it took, in virtual time
 * @param wantedBytes by all processors together
 * @param diskBytes that came from the disks
 * @param reads of all disks
 * @param messages on the network
 * @param diskShare for how much of the time a disk was busy, on average
 * @param traceHash equal for equal courses
 */
public record Outcome(
    Workload workload,
    Method method,
    long columns,
    double seconds,
    long wantedBytes,
    long diskBytes,
    long reads,
    long messages,
    double diskShare,
    long traceHash) {

  /** Whether it is computed from a part of the columns. */
  public boolean isExtended() {
    return columns < workload.extent();
  }
}
