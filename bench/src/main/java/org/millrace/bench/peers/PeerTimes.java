package org.millrace.bench.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.bench.grid.Cell;

/**
 * What one implementation of MPI-IO took for one workload in one way. Immutable.
 *
 * @param method the implementation and the way, as it is printed
 * @param laps nanoseconds of each lap that counts, of all ranks
 * @param cutNanos it was cut off after so long; 0 if it was not
 * @param failure what it could not do, or did wrong; empty if nothing
 */
public record PeerTimes(String method, List<Double> laps, double cutNanos, String failure) {

  public PeerTimes {
    laps =
        failure.isEmpty()
            ? List.copyOf(laps)
            : List.of(); // a method that is ever wrong is never fast
    cutNanos = failure.isEmpty() ? cutNanos : 0;
  }

  /** A column of the table; empty if nothing is known. */
  public Optional<Cell> cell() {
    if (!laps.isEmpty()) {
      return Optional.of(Cell.of(method, Cell.How.MEASURED, laps));
    }
    return cutNanos > 0
        ? Optional.of(new Cell(method, cutNanos, Cell.How.CUT, laps))
        : Optional.empty();
  }

  /** Whether later rounds could find it faster than {@code bestNanos}, or about as fast. */
  public boolean mayWin(double bestNanos, double margin) {
    return cell().map(one -> one.isMeasured() && one.nanos() <= bestNanos * margin).orElse(false);
  }

  /** These and those of a later round. */
  public PeerTimes and(PeerTimes later) {
    List<Double> all = new ArrayList<>(laps);
    all.addAll(later.laps);
    return new PeerTimes(
        method,
        all,
        Math.max(cutNanos, later.cutNanos),
        failure.isEmpty() ? later.failure : failure);
  }
}
