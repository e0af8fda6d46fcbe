package org.millrace.sim.kotz;

import java.util.List;
import org.millrace.sim.machine.Busy;

/**
 * The CPU time that a trace leaves for an application that computes on the nodes, as in section 3.4
 * of Kotz and Cai. I/O has priority; returning to the application takes a context switch, so
 * shorter idle times are useless to it. Pure functions.
 */
public final class Availability {

  private Availability() {}

  /** The share of the nodes' time that an application without synchronization could compute. */
  public static double free(Trace trace, Computing how) {
    double sum = 0;
    for (List<Busy> node : trace.busy()) {
      Stretches stretches = new Stretches(trace, node, how.switchNanos());
      long usable = 0;
      while (stretches.next()) {
        usable += stretches.to - stretches.from;
      }
      sum += usable;
    }
    return sum / ((double) trace.nanos() * trace.busy().size());
  }

  /**
   * The share that is left if one process on each node computes and all meet after every interval
   * of computing: each round takes as long as the slowest needs, and the last one, which the end of
   * the trace cuts, counts as far as all have come.
   */
  public static double freeWithBarriers(Trace trace, Computing how) {
    List<Stretches> nodes =
        trace.busy().stream()
            .map(node -> new Stretches(trace, node, how.switchNanos()).started())
            .toList();
    long computed = 0;
    long met = trace.fromNanos();
    while (met < trace.toNanos()) {
      long round = how.intervalNanos();
      long next = met;
      for (Stretches node : nodes) {
        long left = node.compute(met, how.intervalNanos());
        round = Math.min(round, how.intervalNanos() - left);
        next = Math.max(next, left > 0 ? trace.toNanos() : node.at);
      }
      computed += round;
      met = next;
    }
    return (double) computed / trace.nanos();
  }

  /** The stretches of one node in which its processor can compute, one after the other. */
  private static final class Stretches {

    private final Trace trace;
    private final List<Busy> busy;
    private final long switchNanos;
    private int index = -1;
    private long from;
    private long to;
    private long at;

    Stretches(Trace trace, List<Busy> busy, long switchNanos) {
      this.switchNanos = switchNanos;
      this.trace = trace;
      this.busy = busy;
    }

    Stretches started() {
      if (!next()) {
        from = trace.toNanos();
        to = from;
      }
      return this;
    }

    /** Goes to the next stretch. False if there is none. */
    boolean next() {
      while (index < busy.size()) {
        from = index < 0 ? trace.fromNanos() : busy.get(index).toNanos() + switchNanos;
        index++;
        to = index < busy.size() ? busy.get(index).fromNanos() : trace.toNanos();
        if (from < to) {
          return true;
        }
      }
      return false;
    }

    /**
     * Computes from {@code start} on, which never goes back, for {@code nanos} of computing. Sets
     * {@code at} to the instant at which it is done; returns what could not be done any more.
     */
    long compute(long start, long nanos) {
      long left = nanos;
      at = start;
      while (true) {
        long begin = Math.max(at, from);
        if (begin < to) {
          long step = Math.min(left, to - begin);
          left -= step;
          at = begin + step;
          if (left == 0) {
            return 0;
          }
        }
        if (!next()) {
          from = trace.toNanos();
          to = from;
          return left;
        }
      }
    }
  }
}
