package org.millrace.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class LinpackTest {

  private static final int[] EXTENTS = {1, 2, 3, 10, 101};

  @Test
  void solvesSystemsOfAnySize() {
    for (int extent : EXTENTS) {
      Linpack linpack = new Linpack(extent);
      for (int number = 0; number < 20; number++) {
        int system = number;
        assertThatCode(() -> linpack.solve(system)).doesNotThrowAnyException();
      }
    }
  }

  @Test
  void onlyTheSolutionHasASmallResidual() {
    for (int extent : EXTENTS) {
      Linpack linpack = new Linpack(extent);
      double[] ones = new double[extent];
      Arrays.fill(ones, 1);
      assertThat(linpack.residual(7, ones)).isLessThan(1);
      ones[extent / 2] += 1e-9;
      assertThat(linpack.residual(7, ones)).isGreaterThan(16);
    }
  }

  @Test
  void noEquationIsWrongUse() {
    assertThatThrownBy(() -> new Linpack(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0 equations");
  }
}
