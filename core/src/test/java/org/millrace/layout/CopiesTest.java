package org.millrace.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CopiesTest {

  /** Files on disks depend on it. */
  @Test
  void copiesStayWhereTheyWereDealt() {
    long file = Copies.idOf(7, 2);
    assertThat(Copies.nodes(file, 0, 0, 2, 4)).isEqualTo(GOLDEN.get(0));
    assertThat(Copies.nodes(file, 1, 1, 2, 4)).isEqualTo(GOLDEN.get(1));
    assertThat(Copies.nodes(file, 0, 3, 3, 10)).isEqualTo(GOLDEN.get(2));
    assertThat(Copies.nodes(file, 5, 9, 3, 10)).isEqualTo(GOLDEN.get(3));
  }

  private static final List<List<Integer>> GOLDEN =
      List.of(List.of(0, 2), List.of(1, 2), List.of(3, 8, 1), List.of(9, 4, 6));

  @Test
  void allCopiesOfAStrandAreOnDifferentNodes() {
    for (int nodes = 1; nodes <= 7; nodes++) {
      int last = nodes - 1;
      for (int copies = 1; copies <= Math.min(Copies.MAX, nodes); copies++) {
        for (int strand = 0; strand < 200; strand++) {
          List<Integer> placed =
              Copies.nodes(Copies.idOf(strand / 3, copies), strand, strand % nodes, copies, nodes);
          assertThat(placed).hasSize(copies).first().isEqualTo(strand % nodes);
          assertThat(new HashSet<>(placed)).hasSize(copies);
          assertThat(placed).allMatch(node -> node >= 0 && node <= last);
        }
      }
    }
  }

  @Test
  void theStrandsOfALostNodeGoToAllOthersAlike() {
    int nodes = 8;
    int[] taken = new int[nodes];
    int strands = 0;
    for (long number = 1; number <= 7_000; number++) {
      int strand = (int) (number % 3);
      List<Integer> placed = Copies.nodes(Copies.idOf(number, 2), strand, 5, 2, nodes);
      taken[placed.get(1)]++;
      strands++;
    }
    for (int node = 0; node < nodes; node++) {
      int fair = node == 5 ? 0 : strands / (nodes - 1);
      assertThat(taken[node]).as("node " + node).isBetween(fair * 8 / 10, fair * 12 / 10);
    }
  }

  @Test
  void idsTellWhetherAFileHasCopies() {
    assertThat(Copies.hasCopies(Copies.idOf(12, 1))).isFalse();
    assertThat(Copies.hasCopies(Copies.idOf(12, 2))).isTrue();
    assertThat(Copies.numberOf(Copies.idOf(12, 3))).isEqualTo(12);
  }

  @Test
  void moreCopiesThanNodesAreRefused() {
    assertThatThrownBy(() -> Copies.nodes(1, 0, 0, 3, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3 copies on 2 nodes");
    assertThatThrownBy(() -> Copies.require(4)).isInstanceOf(IllegalArgumentException.class);
  }
}
