package org.millrace.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.testing.Seeds;

/** Lists of nodes as runs, against plain lists. */
final class NodeRunsTest {

  @Test
  void theyAreTheListTheyWereMadeFrom() {
    for (long seed : Seeds.of(200)) {
      Random random = new Random(seed);
      List<Integer> plain = new ArrayList<>();
      int length = random.nextInt(20);
      for (int i = 0; i < length; i++) {
        boolean next = i > 0 && random.nextInt(3) > 0;
        plain.add(next ? plain.getLast() + 1 : random.nextInt(10));
      }
      NodeRuns runs = NodeRuns.of(plain);
      assertThat(runs).as(Seeds.replay(seed)).isEqualTo(plain).hasSize(length);
      assertThat(plain).isEqualTo(runs);
      assertThat(runs.hashCode()).isEqualTo(plain.hashCode());
      assertThat(NodeRuns.of(new ArrayList<>(runs))).isEqualTo(runs);
      int counted = 0;
      for (int run = 0; run < runs.runs(); run++) {
        assertThat(runs.first(run)).isEqualTo(plain.get(counted));
        counted += runs.count(run);
      }
      assertThat(counted).isEqualTo(length);
    }
  }

  @Test
  void filesOverAllNodesHaveTwoRunsAtMost() {
    for (long file = 1; file < 50; file++) {
      assertThat(Layout.forFile(file, 1 << 16, 4096, 4096).nodeRuns().runs()).isBetween(1, 2);
    }
    assertThat(Layout.striped(1, 4096).nodeRuns().runs()).isEqualTo(1);
    assertThat(Layout.of(1, 3, 1, 2).nodeRuns().runs()).isEqualTo(2);
  }

  @Test
  void neighboursThatAreAddedOneByOneAreOneRun() {
    var one = new NodeRuns.Builder().add(2, 1).add(3, 2).add(5, 1).build();
    assertThat(one.runs()).isEqualTo(1);
    assertThat(one).containsExactly(2, 3, 4, 5).isEqualTo(NodeRuns.of(List.of(2, 3, 4, 5)));
  }

  @Test
  void whatIsNoNodeIsRefused() {
    var builder = new NodeRuns.Builder();
    assertThatThrownBy(() -> builder.add(-1, 1)).hasMessageContaining("node -1");
    assertThatThrownBy(() -> builder.add(0, 0)).hasMessageContaining("first of 0");
    assertThatThrownBy(() -> builder.add(Integer.MAX_VALUE, 1)).hasMessageContaining("first of 1");
    assertThatThrownBy(() -> NodeRuns.of(List.of(4)).get(1)).hasMessageContaining("list of 1");
  }
}
