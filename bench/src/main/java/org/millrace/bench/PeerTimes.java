package org.millrace.bench;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * What one implementation of MPI-IO took for one workload in one way. Immutable.
 *
 * @param peer the implementation
 * @param collective all ranks in one call, not each on its own
 * @param laps nanoseconds of each lap that counts, of all ranks
 * @param cutNanos it was cut off after so long; 0 if it was not
 * @param failure why it could not be measured; empty if it could
 */
public record PeerTimes(
    String peer, boolean collective, List<Double> laps, double cutNanos, String failure) {

  /** Keeps a copy of the list. */
  public PeerTimes {
    laps = List.copyOf(laps);
  }

  /** The median of the laps; empty if there was none. */
  public OptionalDouble nanos() {
    if (laps.isEmpty()) {
      return OptionalDouble.empty();
    }
    double[] all = laps.stream().mapToDouble(Double::doubleValue).toArray();
    return OptionalDouble.of(new Series(all).median());
  }

  /** It takes at least so long; empty if nothing is known. */
  public OptionalDouble atLeastNanos() {
    return nanos().isEmpty() && cutNanos > 0 ? OptionalDouble.of(cutNanos) : nanos();
  }

  /** Whether it was cut off before anything could be measured. */
  public boolean isCut() {
    return laps.isEmpty() && cutNanos > 0;
  }

  /** As it is printed: which implementation, in which way. */
  public String name() {
    return peer + (collective ? " collective" : " independent");
  }

  /** These and those of a later round. */
  PeerTimes and(PeerTimes later) {
    List<Double> all = new java.util.ArrayList<>(laps);
    all.addAll(later.laps);
    return new PeerTimes(
        peer,
        collective,
        all,
        Math.max(cutNanos, later.cutNanos),
        failure.isEmpty() ? later.failure : failure);
  }

  /** Milliseconds, as people read them. */
  static String millis(double nanos) {
    double millis = nanos / 1e6;
    return String.format(Locale.ROOT, millis < 10 ? "%.2f" : millis < 100 ? "%.1f" : "%.0f", millis);
  }
}
