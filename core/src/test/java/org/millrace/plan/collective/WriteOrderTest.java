package org.millrace.plan.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.testing.Seeds;

/** What ranks leave out of writes that overlap: all that a higher rank writes, and nothing else. */
final class WriteOrderTest {

  @Test
  void ofSmallAccessesExactlyWhatHigherRanksWriteIsLeftOut() {
    int inTurns = 0;
    int leftOut = 0;
    for (long seed : Seeds.of(4)) {
      Random random = new Random(seed);
      for (int i = 0; i < 4000; i++) {
        List<Access> some =
            i % 2 == 0 ? SmallAccesses.any(random) : SmallAccesses.distributed(random);
        WriteOrder order = WriteOrder.of(true, some);
        if (order.inTurns()) {
          inTurns++;
        } else {
          leftOut++;
          check(order, some, Seeds.replay(seed));
        }
      }
    }
    assertThat(leftOut).isGreaterThan(inTurns);
  }

  /** The control: ranks that leave nothing out. */
  @Test
  void ranksThatLeaveNothingOutAreFound() {
    Access one = new Access(View.WHOLE, 3, 9);
    Access two = new Access(View.WHOLE, 8, 12);
    check(WriteOrder.of(true, List.of(one, two)), List.of(one, two), "two");
    assertThatThrownBy(() -> check(WriteOrder.ANY, List.of(one, two), "two"))
        .isInstanceOf(AssertionError.class);
  }

  /** Who writes each byte last, if all write in turn, is who alone writes it. */
  private static void check(WriteOrder order, List<Access> accesses, String as) {
    Map<Long, Integer> highest = new HashMap<>();
    for (int rank = 0; rank < accesses.size(); rank++) {
      for (long offset : SmallAccesses.offsets(accesses.get(rank))) {
        highest.put(offset, rank);
      }
    }
    for (int rank = 0; rank < accesses.size(); rank++) {
      Access access = accesses.get(rank);
      List<Extent> stretches = order.stretches(rank, access);
      for (int i = 1; i < stretches.size(); i++) {
        assertThat(stretches.get(i).offset()).as(as).isGreaterThan(stretches.get(i - 1).end());
      }
      for (long position = access.from(); position < access.to(); position++) {
        long at = position;
        boolean written = stretches.stream().anyMatch(one -> at >= one.offset() && at < one.end());
        boolean wanted = Objects.equals(highest.get(access.view().offsetOf(position)), rank);
        assertThat(written)
            .as("%s: %s of %s in %s", as, position, rank, accesses)
            .isEqualTo(wanted);
      }
      assertThat(stretches)
          .as(as)
          .allMatch(one -> one.offset() >= access.from() && one.end() <= access.to());
    }
  }

  @Test
  void manyRunsAndManyStretchesAreWrittenInTurns() {
    Access rows = new Access(new View(0, Pattern.run(8), 64), 0, 8 * 2000);
    assertThat(WriteOrder.of(true, List.of(rows, rows)).inTurns()).as("4,000 runs").isTrue();
    Access few = new Access(new View(0, Pattern.run(8), 64), 0, 8 * 100);
    Access all = new Access(View.WHOLE, 0, 6400);
    assertThat(WriteOrder.of(true, List.of(all, few)).inTurns()).as("100 stretches").isTrue();
    assertThat(WriteOrder.of(true, List.of(few, all)).stretches(0, few)).isEmpty();
    assertThat(WriteOrder.of(false, List.of(all, few)).stretches(0, all))
        .containsExactly(new Extent(0, 6400));
  }
}
