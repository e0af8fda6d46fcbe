package org.millrace.client;

import org.millrace.plan.collective.Plan;

/** The numbers of a plan in words, for recordings. Stateless. */
final class PlanWords {

  private PlanWords() {}

  static String of(Plan plan) {
    return switch (plan) {
      case Plan.Direct direct -> direct.inTurns() ? "ranks in turn" : "all ranks at once";
      case Plan.Sieved sieved ->
          "lists over %s bytes%s"
              .formatted(sieved.sieveBytes(), sieved.inTurns() ? ", ranks in turn" : "");
      case Plan.Exchanging two ->
          "chunks of %s bytes, %s at once".formatted(two.chunkBytes(), two.depth());
      case Plan.DiskDirected directed ->
          "%s strands, %s buffers ahead".formatted(directed.strands().size(), directed.depth());
    };
  }
}
