package org.millrace.client;

import org.millrace.plan.collective.Plan;
import org.millrace.plan.collective.WriteOrder;

/** The numbers of a plan in words, for recordings and reports. Stateless. */
final class PlanWords {

  private PlanWords() {}

  /** Concatenated, because a formatter takes longer than a short call may. */
  static String of(Plan plan) {
    return switch (plan) {
      case Plan.Direct direct -> of(direct.order());
      case Plan.Sieved sieved ->
          "lists over " + sieved.sieveBytes() + " bytes, " + of(sieved.order());
      case Plan.Exchanging two ->
          "chunks of " + two.chunkBytes() + " bytes, " + two.depth() + " at once";
      case Plan.DiskDirected directed ->
          directed.strands().size() + " strands, " + directed.depth() + " buffers ahead";
    };
  }

  private static String of(WriteOrder order) {
    return order.inTurns()
        ? "ranks in turn"
        : order.left().isEmpty() ? "all ranks at once" : "without what higher ranks write";
  }
}
