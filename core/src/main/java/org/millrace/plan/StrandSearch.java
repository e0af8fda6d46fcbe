package org.millrace.plan;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.layout.Layout;

/**
 * Finds the strands that hold something wanted by anybody. Ends as soon as all do: mostly a few
 * ranks show that, if they are not neighbours, which tend to touch the same strands. So ranks are
 * asked in strides. Immutable.
 *
 * @param strands ascending
 * @param steps about how many runs and strands were looked at
 */
record StrandSearch(List<Integer> strands, long steps) {

  /** Where nobody asks. */
  static final StrandSearch NONE = new StrandSearch(List.of(), 0);

  static StrandSearch of(Request request) {
    Layout layout = request.layout();
    boolean[] touched = new boolean[layout.strands()];
    int left = touched.length;
    long steps = touched.length;
    int ranks = request.ranks();
    int stride = (int) Math.ceil(Math.sqrt(ranks));
    for (int start = 0; start < stride && left > 0; start++) {
      for (int rank = start; rank < ranks && left > 0; rank += stride) {
        Access one = request.accesses().get(rank);
        if (!one.isEmpty()) {
          left -= layout.touch(one.view(), one.from(), one.to(), touched);
          long units = Cover.runs(one) + one.size() / layout.stripeUnitBytes();
          steps += 1 + Math.min(units, 2L * touched.length);
        }
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
}
