package org.millrace.plan.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Distribution;
import org.millrace.access.Extent;
import org.millrace.access.Grid;
import org.millrace.access.Pattern;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.access.View;
import org.millrace.layout.Layout;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/** What explanations say; how they are shown is the command line's. */
class ExplanationTest {

  private static final Shape ARRAY = Shape.columnMajor(8, 8);

  /** Four ranks with two rows each of an array of pages. */
  private static Request rows(boolean write) {
    Distribution all = Distribution.of(ARRAY, Grid.of(4, 1), Spread.block(), Spread.none());
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      Pattern part = all.part(rank, 4096);
      accesses.add(new Access(new View(0, part, ARRAY.bytes(4096)), 0, part.size()));
    }
    return new Request(write, Layout.striped(1 << 16, 2), accesses);
  }

  private static Explanation explain(boolean write, Hints hints, boolean reachable) {
    return Explanation.of(rows(write), hints, Costs.DEFAULT, reachable);
  }

  @Test
  void requestsAreCountedAndAllStrategiesPriced() {
    Explanation explanation = explain(true, Hints.DEFAULT, true);
    assertThat(explanation.runs()).isEqualTo(32);
    assertThat(explanation.distinctBytes()).isEqualTo(256 << 10);
    assertThat(explanation.why()).startsWith("the cheapest by the cost model");
    assertThat(explanation.planned().all()).hasSize(Strategy.values().length - 1);
  }

  @Test
  void namedStrategyAndItsDomainsAreExplained() {
    Hints hints = Hints.DEFAULT.withStrategy(Strategy.EXTENDED_TWO_PHASE).withAggregators(2);
    Explanation explanation = explain(false, hints, true);
    assertThat(explanation.why()).isEqualTo("the hints name it");
    assertThat(explanation.domains()).extracting(Explanation.Domain::rank).containsExactly(0, 2);
    assertThat(explanation.domains())
        .extracting(Explanation.Domain::extent)
        .containsExactly(Extent.between(0, 131072), Extent.between(131072, 262144));
    Explanation confined = explain(false, hints, false);
    assertThat(confined.why()).contains("its rank's thread only", "became sieved");
    assertThat(confined.domains()).isEmpty();
    assertThat(confined.planned().all()).hasSize(2);
  }
}
