package org.millrace.client;

import org.millrace.plan.collective.Plan;

/** The numbers of a plan in words, for recordings and reports. Stateless. */
final class PlanWords {

  private PlanWords() {}

  /** Concatenated, because a formatter takes longer than a short call may. */
  static String of(Plan plan) {
    return switch (plan) {
      case Plan.Direct direct -> direct.inTurns() ? "ranks in turn" : "all ranks at once";
      case Plan.Sieved sieved ->
          "lists over "
              + sieved.sieveBytes()
              + " bytes"
              + (sieved.inTurns() ? ", ranks in turn" : "");
      case Plan.Exchanging two ->
          "chunks of " + two.chunkBytes() + " bytes, " + two.depth() + " at once";
      case Plan.DiskDirected directed ->
          directed.strands().size() + " strands, " + directed.depth() + " buffers ahead";
    };
  }
}
