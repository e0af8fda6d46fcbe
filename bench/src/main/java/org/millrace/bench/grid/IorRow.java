package org.millrace.bench.grid;

/**
 * One phase of one repetition. Immutable.
 *
 * @param write or read
 * @param iteration number of the repetition, from 0
 * @param bytes moved by all ranks
 * @param transfers calls of all ranks
 * @param ranks how many there were
 * @param openSeconds from the first rank's start to the last one's open file
 * @param moveSeconds from the first open file to the last byte, with flush where that was asked
 * @param closeSeconds from the first rank's last byte to the last closed file
 * @param totalSeconds from begin to end
 */
public record IorRow(
    boolean write,
    int iteration,
    long bytes,
    long transfers,
    int ranks,
    double openSeconds,
    double moveSeconds,
    double closeSeconds,
    double totalSeconds) {

  /** "write" or "read". */
  public String access() {
    return write ? "write" : "read";
  }

  /** All bytes by all of the time, opening and closing included. */
  public double mebibytesPerSecond() {
    return bytes / totalSeconds / (1 << 20);
  }

  /** Calls in a second of moving. */
  public double callsPerSecond() {
    return transfers / moveSeconds;
  }

  /** Seconds of one call of a rank. */
  public double latency() {
    return moveSeconds * ranks / transfers;
  }
}
