package org.millrace.plan;

import java.util.List;

/**
 * The chosen strategy for a collective access, and the estimated cost of each strategy. The same on
 * all ranks. Immutable.
 *
 * @param strategy the strategy that is taken
 * @param estimates what each strategy that could be taken would cost, in the order of {@link
 *     Strategy}
 */
public record StrategyChoice(Strategy strategy, List<Estimate> estimates) {

  /** Keeps a copy of the list. */
  public StrategyChoice {
    estimates = List.copyOf(estimates);
  }

  /** The estimate of the strategy that is taken. */
  public Estimate taken() {
    return of(strategy);
  }

  /** The estimate of a strategy that could be taken. */
  public Estimate of(Strategy wanted) {
    for (Estimate one : estimates) {
      if (one.strategy() == wanted) {
        return one;
      }
    }
    throw new IllegalArgumentException("strategy " + wanted.word() + " could not be taken");
  }
}
