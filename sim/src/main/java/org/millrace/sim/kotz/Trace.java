package org.millrace.sim.kotz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.millrace.sim.machine.Busy;

/**
 * When each node's processor was busy with I/O while the I/O application ran. Immutable.
 *
 * @param fromNanos when it began
 * @param toNanos when it ended
 * @param busy of each node, in order, without overlaps, within the two
 */
public record Trace(long fromNanos, long toNanos, List<List<Busy>> busy) {

  /** Cuts what lies outside, and copies. */
  public Trace {
    if (toNanos <= fromNanos) {
      throw new IllegalArgumentException("a trace from " + fromNanos + " to " + toNanos);
    }
    List<List<Busy>> cut = new ArrayList<>();
    for (List<Busy> one : busy) {
      cut.add(cut(one, fromNanos, toNanos));
    }
    busy = List.copyOf(cut);
  }

  private static List<Busy> cut(List<Busy> all, long from, long to) {
    List<Busy> within = new ArrayList<>(all.size());
    for (Busy one : all) {
      long start = Math.max(from, one.fromNanos());
      long end = Math.min(to, one.toNanos());
      if (start < end) {
        within.add(new Busy(start, end));
      }
    }
    return List.copyOf(within);
  }

  /** How long it took. */
  public long nanos() {
    return toNanos - fromNanos;
  }

  /** The share of the time in which none, one, two, ... all nodes were busy at a time. */
  public List<Double> together() {
    long[] starts = busy.stream().flatMap(List::stream).mapToLong(Busy::fromNanos).toArray();
    long[] ends = busy.stream().flatMap(List::stream).mapToLong(Busy::toNanos).toArray();
    Arrays.sort(starts);
    Arrays.sort(ends);
    long[] sums = new long[busy.size() + 1];
    long at = fromNanos;
    int begun = 0;
    for (int done = 0; done < ends.length; ) {
      boolean begins = begun < starts.length && starts[begun] < ends[done];
      long next = begins ? starts[begun] : ends[done];
      sums[begun - done] += next - at;
      at = next;
      begun += begins ? 1 : 0;
      done += begins ? 0 : 1;
    }
    sums[0] += toNanos - at;
    return Arrays.stream(sums).mapToObj(sum -> (double) sum / nanos()).toList();
  }

  /** What happened in the last tenth of the time. */
  public Trace lastTenth() {
    return new Trace(toNanos - Math.ceilDiv(nanos(), 10), toNanos, busy);
  }

  /** How often computing was interrupted, on all nodes. */
  public long interruptions() {
    return busy.stream().mapToLong(List::size).sum();
  }

  /** The share of all nodes' time in which they were busy. */
  public double busyShare() {
    long sum = busy.stream().flatMap(List::stream).mapToLong(Busy::nanos).sum();
    return (double) sum / ((double) nanos() * busy.size());
  }
}
