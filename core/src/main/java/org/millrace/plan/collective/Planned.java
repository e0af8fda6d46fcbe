package org.millrace.plan.collective;

import java.util.List;
import org.millrace.plan.Estimate;
import org.millrace.plan.Strategy;
import org.millrace.plan.StrategyChoice;

/**
 * A plan, and the alternatives that were considered. Immutable.
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

  /** The strategy that was taken, and what each would cost. */
  public StrategyChoice choice() {
    return new StrategyChoice(plan.strategy(), all);
  }
}
