package org.millrace.plan.collective;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.layout.Layout;

/**
 * Finds the strands that hold bytes that any rank wants. It ends as soon as these are all strands.
 * Usually a few ranks show that, if they are not neighbours, which tend to touch the same strands;
 * so the search steps through the ranks by the golden section. Immutable.
 *
 * @param strands ascending
 * @param steps about how many runs and strands were looked at
 */
record StrandSearch(List<Integer> strands, long steps) {

  private static final double GOLDEN = 0.618033988749895;

  /** For callers that do not need it. */
  static final StrandSearch NONE = new StrandSearch(List.of(), 0);

  static StrandSearch of(Request request) {
    Layout layout = request.layout();
    boolean[] touched = new boolean[layout.strands()];
    int left = touched.length;
    long steps = touched.length;
    int ranks = request.ranks();
    long stride = stride(ranks);
    for (int i = 0; i < ranks && left > 0; i++) {
      Access one = request.accesses().get((int) (i * stride % ranks));
      if (!one.isEmpty()) {
        left -= layout.touch(one.view(), one.from(), one.to(), touched);
        long units = Cover.runs(one) + one.size() / layout.stripeUnitBytes();
        steps += 1 + Math.min(units, 2L * touched.length);
      }
    }
    List<Integer> strands = new ArrayList<>();
    for (int strand = 0; strand < touched.length; strand++) {
      if (touched[strand]) {
        strands.add(strand);
      }
    }
    return new StrandSearch(strands, steps);
  }

  /** As {@link #of}, where everything between the first and the last wanted byte is wanted. */
  static StrandSearch ofTiling(Request request) {
    List<Integer> strands = DirectTiling.strands(request.layout(), request.span());
    return new StrandSearch(
        strands, strands instanceof FirstStrands ? 1 : request.layout().strands());
  }

  /** About the golden section of so many, and without a divisor in common: so all are met once. */
  private static long stride(int ranks) {
    long stride = Math.max(1, Math.round(ranks * GOLDEN));
    while (BigInteger.valueOf(stride).gcd(BigInteger.valueOf(ranks)).intValue() != 1) {
      stride++;
    }
    return stride;
  }
}
