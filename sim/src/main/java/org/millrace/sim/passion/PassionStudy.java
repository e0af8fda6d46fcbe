package org.millrace.sim.passion;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Table 1 and figure 2: every row and every distribution by every method, one after the other.
 *
 * <p>Used by one platform thread.
 */
public final class PassionStudy {

  private static final long FIGURE_EXTENT = 10 << 10;
  private static final long QUICK_EXTENT = 640;
  private static final long QUICK_RUNS = 10_000;

  /** Methods whose seconds the paper prints. */
  private static final List<Method> CAUSED = List.of(Method.DIRECT, Method.EXTENDED);

  // constant after construction
  private final boolean quick;
  private final long seed;
  private final List<Workload> table;
  private final List<Workload> figure;

  /**
   * A study.
   *
   * @param quick only the short rows of table 1, and figure 2 of a small array
   */
  public PassionStudy(boolean quick, long seed) {
    this.quick = quick;
    this.seed = seed;
    List<Workload> rows = Workload.table1();
    this.table = quick ? List.of(rows.get(0), rows.get(1), rows.get(5)) : rows;
    this.figure = Workload.figure2(quick ? QUICK_EXTENT : FIGURE_EXTENT);
  }

  /** How many readings there are. */
  public int runs() {
    return (table.size() + figure.size()) * Method.values().length;
  }

  /** Does all; {@code listener} hears of each outcome. */
  public List<Outcome> run(Consumer<Outcome> listener) {
    List<Outcome> outcomes = new ArrayList<>();
    run(table, outcomes, listener);
    run(figure, outcomes, listener);
    return outcomes;
  }

  /** How many readings {@link #causes} makes. */
  public int causeRuns() {
    return Cause.all().size() * table.size() * CAUSED.size();
  }

  /** Table 1 on machines that differ by one thing each; {@code listener} hears of each outcome. */
  public Map<Cause, List<Outcome>> causes(Consumer<Outcome> listener) {
    Map<Cause, List<Outcome>> found = new LinkedHashMap<>();
    for (Cause cause : Cause.all()) {
      List<Outcome> outcomes = new ArrayList<>();
      Workload first = table.getFirst();
      Experiment experiment =
          new Experiment(first.ranks(), first.extent(), seed, Experiment.MAX_RUNS, cause);
      for (Workload workload : table) {
        for (Method method : CAUSED) {
          Outcome outcome = experiment.read(workload, method);
          outcomes.add(outcome);
          listener.accept(outcome);
        }
      }
      found.put(cause, outcomes);
    }
    return found;
  }

  private void run(List<Workload> workloads, List<Outcome> outcomes, Consumer<Outcome> listener) {
    Workload first = workloads.getFirst();
    long maxRuns = quick ? QUICK_RUNS : Experiment.MAX_RUNS;
    Experiment experiment = new Experiment(first.ranks(), first.extent(), seed, maxRuns);
    for (Workload workload : workloads) {
      for (Method method : Method.values()) {
        Outcome outcome = experiment.read(workload, method);
        outcomes.add(outcome);
        listener.accept(outcome);
      }
    }
  }
}
