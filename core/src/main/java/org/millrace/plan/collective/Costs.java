package org.millrace.plan.collective;

import org.millrace.access.group.Reach;

/**
 * Costs for {@link Planner}: a few numbers that are measured once for each cluster. {@link
 * Estimator} and {@code docs/collective.md} have the formulas. Immutable.
 *
 * @param cores processors that copy at the same time
 * @param messageNanos a message to a rank or node and its answer, without the bytes
 * @param meetingNanos a meeting of all ranks, for each rank
 * @param copyNanosPerByte copying, beyond the processor's caches
 * @param runNanos a run of a list, beside its bytes: finding it and starting its copy
 * @param getNanos a get or put of its own, or looking a block up: beside its bytes
 * @param seekNanos until a disk has started with a transfer
 * @param diskNanosPerByte a disk's transfer
 * @param missFraction the part of the bytes that is expected not to be in the caches, 0 to 1
 * @param reach how ranks reach the bytes of nodes in other processes
 */
public record Costs(
    int cores,
    double messageNanos,
    double meetingNanos,
    double copyNanosPerByte,
    double runNanos,
    double getNanos,
    double seekNanos,
    double diskNanosPerByte,
    double missFraction,
    Reach reach) {

  private static final double RUNS_TO_ANOTHER_BLOCK = 8;

  /** No message inside a process takes so long, and those between processes do. */
  private static final double ACROSS_NANOS = 30_000;

  /**
   * Two cores, nodes and ranks in one JVM, everything cached: a message is a method call, memory is
   * copied at 7 GB/s by each of the cores together, an SSD starts within 100 microseconds and reads
   * at 2.7 GB/s. All but the seek were fitted to {@code millrace bench passion} on such a machine.
   */
  public static final Costs DEFAULT =
      new Costs(2, 500, 1_000, 0.14, 16, 120, 100_000, 0.37, 0, Reach.MESSAGES);

  /** Checks the bounds. */
  public Costs {
    if (cores < 1 || missFraction < 0 || missFraction > 1) {
      throw new IllegalArgumentException(
          "costs: %s cores, fraction of misses %s".formatted(cores, missFraction));
    }
    for (double one :
        new double[] {
          messageNanos,
          meetingNanos,
          copyNanosPerByte,
          runNanos,
          getNanos,
          seekNanos,
          diskNanosPerByte
        }) {
      if (!(one >= 0)) {
        throw new IllegalArgumentException("costs: " + one + " is not a time");
      }
    }
  }

  /**
   * Which gaps are cheaper to transfer than to leave out. An unneeded byte costs its copy and,
   * where it is not cached, its share of the disk's transfer. Leaving a gap out of a list costs
   * another run in another block of the list, about as much as eight runs in one; leaving it out
   * between transfers a message and a get; both cost a seek where bytes are not cached.
   *
   * <pre>
   *   in a list            gap (copy + misses disk) &lt;= 8 run + misses seek
   *   between transfers    gap (copy + misses disk) &lt;= message + get + misses seek
   * </pre>
   */
  public Gaps gaps() {
    double nanosPerByte = copyNanosPerByte + missFraction * diskNanosPerByte;
    double seeking = missFraction * seekNanos;
    return new Gaps(
        gapBytes(RUNS_TO_ANOTHER_BLOCK * runNanos + seeking, nanosPerByte),
        gapBytes(messageNanos + getNanos + seeking, nanosPerByte));
  }

  private static long gapBytes(double nanos, double nanosPerByte) {
    return nanosPerByte == 0 ? Long.MAX_VALUE : (long) (nanos / nanosPerByte);
  }

  /** The same with another expectation of what is in the caches. */
  public Costs withMissFraction(double fraction) {
    return new Costs(
        cores,
        messageNanos,
        meetingNanos,
        copyNanosPerByte,
        runNanos,
        getNanos,
        seekNanos,
        diskNanosPerByte,
        fraction,
        reach);
  }

  /** The same where ranks reach the bytes of nodes in other processes in this way. */
  public Costs withReach(Reach other) {
    return other == reach
        ? this
        : new Costs(
            cores,
            messageNanos,
            meetingNanos,
            copyNanosPerByte,
            runNanos,
            getNanos,
            seekNanos,
            diskNanosPerByte,
            missFraction,
            other);
  }

  /** Whether ranks map the memory of nodes in other processes. */
  boolean isMapped() {
    return reach != Reach.MESSAGES;
  }

  /**
   * The same where ranks and nodes are different processes of one host: a message wakes somebody
   * up. A rank copies its own bytes straight out of the nodes' memory; see {@link #isStaged} for
   * the others.
   */
  public Costs acrossProcesses() {
    return new Costs(
        cores,
        Math.max(messageNanos, ACROSS_NANOS),
        Math.max(meetingNanos, ACROSS_NANOS),
        copyNanosPerByte,
        runNanos,
        Math.max(getNanos, 20_000),
        seekNanos,
        diskNanosPerByte,
        missFraction,
        reach);
  }

  /**
   * Whether messages take so long that they go to another process: then bytes that somebody else
   * moves are copied once more, to memory that both share.
   */
  boolean isStaged() {
    return messageNanos >= ACROSS_NANOS;
  }
}
