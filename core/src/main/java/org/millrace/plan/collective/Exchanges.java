package org.millrace.plan.collective;

import java.util.LinkedHashSet;
import java.util.Optional;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.group.AccessRuns;
import org.millrace.plan.AccessDescriptor;
import org.millrace.plan.Hints;

/**
 * The two plans of a request in which aggregators exchange pieces with ranks. Immutable.
 *
 * @param isPossible whether they can be carried out: pieces are ranges of positions, so every
 *     rank's view must ascend
 * @param twoPhase the two-phase method's
 * @param extended the extended two-phase method's
 */
record Exchanges(boolean isPossible, Plan.TwoPhase twoPhase, Plan.ExtendedTwoPhase extended) {

  /** Of requests that want at least this part of their span every gap of a byte domain is read. */
  private static final double DENSE = 0.5;

  static Exchanges of(Request request, Hints hints, Costs costs) {
    boolean possible = true;
    for (Access one : request.kinds()) {
      possible &= one.view().isAscending();
    }
    Optional<AccessDescriptor> descriptor =
        possible
            ? request.array().map(array -> AccessDescriptor.of(array, request.accesses()))
            : Optional.empty();
    return of(request, hints, possible, descriptor, gaps(request, descriptor, costs));
  }

  /** Of a request of which nobody knows everything: every rank's view ascends. */
  static Exchanges ofSome(Request request, Hints hints, Gaps gaps) {
    return of(request, hints, true, Optional.empty(), gaps);
  }

  private static Exchanges of(
      Request request,
      Hints hints,
      boolean possible,
      Optional<AccessDescriptor> descriptor,
      Gaps gaps) {
    long chunkBytes = chunkBytes(request, hints);
    return new Exchanges(
        possible,
        new Plan.TwoPhase(
            request, DomainPlanner.conforming(request, hints), chunkBytes, hints.depth()),
        new Plan.ExtendedTwoPhase(
            request,
            DomainPlanner.extended(request, hints),
            descriptor,
            chunkBytes,
            hints.depth(),
            gaps));
  }

  /** Bytes of one of an aggregator's buffers: whole blocks if there is room, whole elements. */
  private static long chunkBytes(Request request, Hints hints) {
    long bytes = Math.max(1, hints.bufferBytes() / hints.depth());
    long blocks = bytes < request.blockBytes() ? bytes : bytes - bytes % request.blockBytes();
    return request.array().map(array -> Math.max(blocks, array.elementBytes())).orElse(blocks);
  }

  /**
   * Writes never transfer a gap of a section: what lies there is not theirs. In byte domains gaps
   * are looked for only where there are many.
   */
  private static Gaps gaps(Request request, Optional<AccessDescriptor> descriptor, Costs costs) {
    Gaps cheap = costs.gaps();
    if (descriptor.isPresent() && descriptor.get().isExact()) {
      return request.write() ? new Gaps(0, cheap.transferBytes()) : cheap;
    }
    double wanted = 0;
    for (AccessRuns.Run run : new LinkedHashSet<>(AccessRuns.of(request.accesses()).runs())) {
      wanted += (double) run.first().size() * (run.step() == 0 ? 1 : run.count());
    }
    return isDense(wanted, request.span()) ? Gaps.ALL : cheap;
  }

  static boolean isDense(double wantedBytes, Extent span) {
    return wantedBytes >= DENSE * span.length();
  }
}
