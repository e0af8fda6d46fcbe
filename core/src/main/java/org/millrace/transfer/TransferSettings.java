package org.millrace.transfer;

import java.util.function.Supplier;
import org.millrace.plan.Hints;
import org.millrace.plan.collective.Costs;

/**
 * Default settings of a cluster's collective calls.
 *
 * @param hints of files that are opened without their own
 * @param costs what transfers cost here; asked when a strategy must be chosen, and the same for all
 *     ranks
 * @param plans those that the ranks of this process made last
 */
public record TransferSettings(Hints hints, Supplier<Costs> costs, Plans plans) {

  /** With plans of their own. */
  public TransferSettings(Hints hints, Supplier<Costs> costs) {
    this(hints, costs, new Plans(costs));
  }
}
