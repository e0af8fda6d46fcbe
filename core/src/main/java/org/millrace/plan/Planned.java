package org.millrace.plan;

import java.util.List;

/**
 * A plan, and what was weighed against what. Immutable.
 *
 * @param plan what is to be done
 * @param overlapping whether different ranks may want the same byte, as far as that matters: of
 *     reads it is not asked, and false
 * @param all the estimates of all strategies that could be taken, in the order of {@link Strategy};
 *     none if nobody asked
 * @param steps about how many steps over accesses, runs and strands it took to plan
 */
public record Planned(Plan plan, boolean overlapping, List<Estimate> all, long steps) {

  /** Keeps a copy of the list. */
  public Planned {
    all = List.copyOf(all);
  }

  /** The estimate of the strategy that was taken. */
  public Estimate taken() {
    return of(plan.strategy());
  }

  /** The estimate of a strategy that could be taken. */
  public Estimate of(Strategy strategy) {
    for (Estimate one : all) {
      if (one.strategy() == strategy) {
        return one;
      }
    }
    throw new IllegalArgumentException("strategy " + strategy.word() + " could not be taken");
  }
}
