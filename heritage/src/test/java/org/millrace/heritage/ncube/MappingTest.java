package org.millrace.heritage.ncube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.access.View;

/** Mappings against a matrix that is looked at byte by byte, and against the bit permutation. */
final class MappingTest {

  interface Check {
    void check(Mapping mapping);
  }

  private static void everySmall(int largest, Check check) {
    for (int p = 1; p <= 6; p++) {
      for (int dx = 1; dx <= largest; dx++) {
        check.check(Mapping.column(dx, p));
        for (int dy = 1; dy <= largest; dy++) {
          check.check(Mapping.row(dx, dy, p));
          for (int tw = 1; tw <= p; tw++) {
            check.check(Mapping.block(dx, dy, tw, p));
            for (int w = 1; w <= 3; w++) {
              check.check(Mapping.scatter(dx, dy, tw, w, p));
            }
          }
        }
      }
    }
  }

  /** The stream bytes of each processing element in order, found by walking the whole matrix. */
  private static List<List<Long>> walked(Mapping m, int rows) {
    List<List<Long>> parts = new ArrayList<>();
    for (int p = 0; p < m.processors(); p++) {
      parts.add(new ArrayList<>());
    }
    for (int y = 0; y < rows; y++) {
      for (int x = 0; x < m.dimX(); x++) {
        long column = x / m.dx() % m.tw();
        long block = y / m.dy() * m.tw() + column; // numbered along the rows of blocks
        parts.get((int) (block % m.processors())).add(y * m.dimX() + x);
      }
    }
    return parts;
  }

  private static void checkAgainstWalk(Mapping mapping) {
    int rows = (int) (2 * mapping.dy() * mapping.processors()); // the numbering begins again
    List<List<Long>> parts = walked(mapping, rows);
    for (int p = 0; p < mapping.processors(); p++) {
      View view = mapping.view(p);
      assertThat(view.isEmpty()).isEqualTo(parts.get(p).isEmpty());
      assertThat(view.isAscending()).isTrue();
      for (int i = 0; i < parts.get(p).size(); i++) {
        assertThat(view.offsetOf(i))
            .as("byte %s of processing element %s in %s", i, p, mapping)
            .isEqualTo(parts.get(p).get(i));
      }
    }
  }

  @Test
  void everySmallMappingGivesTheBytesOfTheMatrix() {
    everySmall(3, MappingTest::checkAgainstWalk);
  }

  @Test
  void matricesOfAnyWidthAreDealtOutWhole() {
    everySmall(
        2,
        mapping -> {
          for (int width = 1; width <= mapping.dimX() + 1; width++) {
            checkAgainstWalk(mapping.width(width));
          }
        });
  }

  @Test
  void widthsAreThoseOfTheText() {
    everySmall(
        3,
        mapping -> {
          long expected =
              switch (mapping.kind()) {
                case ROW -> mapping.dx();
                case COLUMN -> mapping.processors() * mapping.dx();
                case BLOCK -> mapping.dx() * mapping.tw();
                case SCATTER -> mapping.dimX();
              };
          assertThat(mapping.dimX()).isEqualTo(expected);
        });
    assertThat(Mapping.scatter(3, 5, 2, 7, 4).dimX()).isEqualTo(3 * 2 * 7);
  }

  @Test
  void bitPermutationAndViewAgreeWhereverBothApply() {
    int[] powers = {1, 2, 4, 8};
    int agreed = 0;
    for (int p : powers) {
      for (int dx : powers) {
        for (int dy : powers) {
          for (int tw = 1; tw <= p; tw *= 2) {
            for (int w : powers) {
              agreed += agree(Mapping.scatter(dx, dy, tw, w, p));
            }
            agreed += agree(Mapping.block(dx, dy, tw, p));
          }
          agreed += agree(Mapping.row(dx, dy, p));
        }
        agreed += agree(Mapping.column(dx, p));
      }
    }
    assertThat(agreed).isEqualTo(16 * 10 * 5 + 16 * 4 + 16);
  }

  private static int agree(Mapping mapping) {
    BitPermutation bits = BitPermutation.of(mapping);
    long bytes = 2 * mapping.dimX() * mapping.dy() * mapping.processors() / mapping.tw();
    View[] views = new View[mapping.processors()];
    for (int p = 0; p < views.length; p++) {
      views[p] = mapping.view(p);
    }
    for (long stream = 0; stream < bytes; stream++) {
      int processor = bits.processor(stream);
      long buffer = bits.buffer(stream);
      if (views[processor].offsetOf(buffer) != stream || bits.stream(processor, buffer) != stream) {
        throw new AssertionError("byte " + stream + " of " + mapping + " by " + bits);
      }
    }
    return 1;
  }

  @Test
  void bitsGoWhereTheFigureSaysTheyGo() {
    // rest 1, p - tw 10, dy 1, w 0, tw 1, dx 01
    BitPermutation bits = new BitPermutation(2, 1, 1, 1, 3);
    assertThat(bits.processor(0b1_10_1_0_1_01)).isEqualTo(0b10_1);
    assertThat(bits.buffer(0b1_10_1_0_1_01)).isEqualTo(0b1_1_0_01);
    assertThat(bits.stream(0b10_1, 0b1_1_0_01)).isEqualTo(0b1_10_1_0_1_01);
  }

  @Test
  void theBitPermutationNeedsPowersOfTwo() {
    for (Mapping mapping :
        List.of(
            Mapping.column(2, 3),
            Mapping.row(3, 2, 2),
            Mapping.row(2, 3, 2),
            Mapping.scatter(2, 2, 2, 3, 4))) {
      assertThatThrownBy(() -> BitPermutation.of(mapping))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not a power of two");
    }
    assertThatThrownBy(() -> new BitPermutation(0, 0, 3, 0, 2)).hasMessageContaining("tw 3");
    assertThatThrownBy(() -> new BitPermutation(40, 20, 0, 3, 0)).hasMessageContaining("dx 40");
  }

  @Test
  void mappingsThatAreNoneAreRefused() {
    assertThatThrownBy(() -> Mapping.row(0, 1, 1)).hasMessageContaining("DX 0");
    assertThatThrownBy(() -> Mapping.row(1, 0, 1)).hasMessageContaining("DY 0");
    assertThatThrownBy(() -> Mapping.block(1, 1, 0, 1)).hasMessageContaining("TW 0");
    assertThatThrownBy(() -> Mapping.column(1, 0)).hasMessageContaining("P 0");
    assertThatThrownBy(() -> Mapping.scatter(1, 1, 1, 0, 1)).hasMessageContaining("W 0");
    assertThatThrownBy(() -> Mapping.block(1, 1, 4, 3)).hasMessageContaining("more than the 3");
    assertThatThrownBy(() -> Mapping.row(1, 1, 2).width(0)).hasMessageContaining("Dim_x 0");
    assertThatThrownBy(() -> Mapping.row(1, 1, 2).view(2)).hasMessageContaining("element 2");
  }
}
