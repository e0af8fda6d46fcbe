package org.millrace.client;

import org.millrace.plan.collective.Plan;

/** The numbers of a plan in words, for recordings. Stateless. */
final class PlanWords {

  private PlanWords() {}

  static String of(Plan plan) {
    return switch (plan) {
      case Plan.Direct direct -> direct.inTurns() ? "ranks in turn" : "all ranks at once";
      case Plan.Sieved sieved ->
          "lists over %d bytes%s"
              .formatted(sieved.sieveBytes(), sieved.inTurns() ? ", ranks in turn" : "");
      case Plan.Exchanging two ->
          "chunks of %d bytes, %d at once".formatted(two.chunkBytes(), two.depth());
      case Plan.DiskDirected directed ->
          "%d strands, %d buffers ahead".formatted(directed.strands().size(), directed.depth());
    };
  }
}
