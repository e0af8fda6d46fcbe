package org.millrace.bench.grid;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.millrace.bench.measure.Series;
import org.millrace.plan.Strategy;

/**
 * What one collective call takes by each strategy that is tried beside auto. Used by one thread.
 */
public final class StrategyTimes {

  /** Auto is right if it takes at most so much longer than the best, or so many nanoseconds. */
  private static final double CLOSE = 1.1;

  private static final double CLOSE_NANOS = 100_000;

  /** Runs shorter than this are too many to be asked for one by one. */
  private static final long MIN_DIRECT_BYTES = 4 << 10;

  private final Map<Strategy, List<Double>> laps = new EnumMap<>(Strategy.class);
  private String taken = "";

  /** The strategies that can carry a workload out in reasonable time. */
  public static List<Strategy> tried(Workload workload) {
    List<Strategy> tried = new ArrayList<>(List.of(Strategy.values()));
    tried.remove(Strategy.AUTO);
    long shortest =
        workload.parts().stream()
            .filter(part -> part.access().size() > 0)
            .mapToLong(part -> part.access().size() / Math.max(1, runs(part)))
            .min()
            .orElse(0);
    if (shortest < MIN_DIRECT_BYTES) {
      tried.remove(Strategy.DIRECT);
    }
    return tried;
  }

  private static long runs(Workload.Part part) {
    return part.access().view().tile().runCount();
  }

  /** More laps by a strategy, in nanoseconds. */
  public void add(Strategy strategy, List<Double> nanos) {
    laps.computeIfAbsent(strategy, _ -> new ArrayList<>()).addAll(nanos);
  }

  /** Auto takes this one, as its word is. */
  public void take(String strategy) {
    taken = strategy;
  }

  private double median(Strategy strategy) {
    List<Double> its = laps.getOrDefault(strategy, List.of());
    return new Series(its.stream().mapToDouble(Double::doubleValue).toArray()).median();
  }

  /** Whether auto, which took so long, was about as quick as the best of all. */
  public boolean isClose(double autoNanos) {
    double best = laps.keySet().stream().mapToDouble(this::median).min().orElse(autoNanos);
    return autoNanos <= Math.max(CLOSE * best, best + CLOSE_NANOS);
  }

  /**
   * Whether the strategy that auto took, when it was forced, was about as quick as the best of all.
   * That says more about the choice, since both are the same code, and {@link #isClose} more about
   * the call.
   */
  public boolean isTakenWell() {
    return laps.keySet().stream()
        .filter(one -> one.word().equals(taken))
        .findFirst()
        .map(one -> isClose(median(one)))
        .orElse(false);
  }

  /** All of them in milliseconds, and which one auto took, for people. */
  @Override
  public String toString() {
    String all =
        laps.keySet().stream()
            .map(one -> String.format(Locale.ROOT, "%s %.2f", one.word(), median(one) / 1e6))
            .collect(Collectors.joining(", "));
    return taken.isEmpty() ? all : all + "; auto took " + taken;
  }
}
