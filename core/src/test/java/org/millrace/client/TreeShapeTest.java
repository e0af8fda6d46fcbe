package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class TreeShapeTest {

  private static List<TreeShape> all(int size, int fanOut) {
    return IntStream.range(0, size).mapToObj(rank -> TreeShape.of(rank, size, fanOut)).toList();
  }

  @Test
  void everyRankHasOnePlaceAndPlacesBelowAreNeighbours() {
    for (int size = 1; size <= 40; size++) {
      for (int fanOut = 1; fanOut <= 9; fanOut++) {
        List<TreeShape> all = all(size, fanOut);
        List<Integer> top = new ArrayList<>();
        for (TreeShape one : all) {
          if (one.parent() == TreeShape.COORDINATOR) {
            top.add(one.rank());
          } else {
            assertThat(all.get(one.parent()).children()).contains(one.rank());
          }
          checkBelow(one, all, fanOut);
        }
        assertThat(top).hasSize(Math.min(size, fanOut));
        checkCovered(0, size, top, all);
      }
    }
  }

  private static void checkBelow(TreeShape one, List<TreeShape> all, int fanOut) {
    assertThat(one.children()).hasSize(Math.min(fanOut, one.end() - one.rank() - 1));
    for (int child : one.children()) {
      assertThat(all.get(child).parent()).isEqualTo(one.rank());
    }
    checkCovered(one.rank() + 1, one.end(), one.children(), all);
  }

  /** Each begins where the one before it ends. */
  private static void checkCovered(int from, int to, List<Integer> heads, List<TreeShape> all) {
    int next = from;
    for (int head : heads) {
      assertThat(head).isEqualTo(next);
      next = all.get(head).end();
    }
    assertThat(next).isEqualTo(to);
  }

  @Test
  void thePictureInTheCommentIsRight() {
    List<TreeShape> all = all(9, 2);
    assertThat(all.get(0)).isEqualTo(new TreeShape(0, TreeShape.COORDINATOR, 4, List.of(1, 2)));
    assertThat(all.get(2)).isEqualTo(new TreeShape(2, 0, 4, List.of(3)));
    assertThat(all.get(4)).isEqualTo(new TreeShape(4, TreeShape.COORDINATOR, 9, List.of(5, 7)));
    assertThat(all.get(7)).isEqualTo(new TreeShape(7, 4, 9, List.of(8)));
  }

  @Test
  void aThousandRanksAreThreeLevelsBelowTheCoordinator() {
    int deepest = 0;
    for (TreeShape one : all(1024, 16)) {
      int depth = 1;
      for (int at = one.parent(); at != TreeShape.COORDINATOR; depth++) {
        at = TreeShape.of(at, 1024, 16).parent();
      }
      deepest = Math.max(deepest, depth);
    }
    assertThat(deepest).isEqualTo(3);
  }
}
