package org.millrace.bench.papers;

import java.util.Locale;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.WrongResultException;

/**
 * What the LINPACK benchmark computes: a dense system of linear equations with random coefficients,
 * solved by LU factorization with partial pivoting. The right sides are the sums of the rows, so
 * that the solution is all ones; what came out is put into the equations, which are made anew for
 * that.
 *
 * <p>Rows are updated whole, from the left to the right, because they lie in memory like that.
 * Belongs to one thread.
 */
final class Linpack {

  /** What LINPACK's successor HPL accepts, in units of what rounding may do. */
  private static final double MAX_RESIDUAL = 16;

  private final int extent;
  private final double[][] rows;
  private final double[] right;

  /** For systems of so many equations. */
  Linpack(int extent) {
    if (extent < 1) {
      throw new IllegalArgumentException(extent + " equations, must be at least 1");
    }
    this.extent = extent;
    rows = new double[extent][extent];
    right = new double[extent];
  }

  /** Solves the system of that number. Throws if the solution does not solve it. */
  void solve(long number) {
    make(number);
    factor();
    substituteBack();
    double residual = residual(number, right);
    if (!(residual <= MAX_RESIDUAL)) { // not a number is wrong, too
      throw new WrongResultException(
          String.format(
              Locale.ROOT,
              "system %s of %s equations: residual %g, must be at most %g",
              number,
              extent,
              residual,
              MAX_RESIDUAL));
    }
  }

  private void make(long number) {
    for (int i = 0; i < extent; i++) {
      double sum = 0;
      for (int j = 0; j < extent; j++) {
        double coefficient = coefficient(number, i, j);
        rows[i][j] = coefficient;
        sum += coefficient;
      }
      right[i] = sum;
    }
  }

  /** In -0.5..0.5, the same for the same place. */
  private double coefficient(long number, int row, int column) {
    long place = (number * extent + row) * extent + column;
    return (Content.mix(place) >>> 11) * 0x1p-53 - 0.5;
  }

  /** The upper triangle, and the right sides as the lower one leaves them. */
  private void factor() {
    for (int k = 0; k < extent; k++) {
      exchange(k, pivot(k));
      double[] from = rows[k];
      double diagonal = from[k];
      for (int i = k + 1; i < extent; i++) {
        double[] row = rows[i];
        double factor = row[k] / diagonal;
        row[k] = factor;
        subtract(row, from, factor, k + 1);
        right[i] -= factor * right[k];
      }
    }
  }

  private int pivot(int k) {
    int best = k;
    for (int i = k + 1; i < extent; i++) {
      if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) {
        best = i;
      }
    }
    return best;
  }

  private void exchange(int one, int other) {
    double[] row = rows[one];
    rows[one] = rows[other];
    rows[other] = row;
    double side = right[one];
    right[one] = right[other];
    right[other] = side;
  }

  private static void subtract(double[] row, double[] from, double factor, int first) {
    for (int j = first; j < row.length; j++) {
      row[j] -= factor * from[j];
    }
  }

  private void substituteBack() {
    for (int i = extent - 1; i >= 0; i--) {
      double sum = right[i];
      for (int j = i + 1; j < extent; j++) {
        sum -= rows[i][j] * right[j];
      }
      right[i] = sum / rows[i][i];
    }
  }

  /** How far a solution is from solving the system, in units of what rounding may do. */
  double residual(long number, double[] solution) {
    double worst = 0;
    double norm = 0;
    double largest = 0;
    for (int i = 0; i < extent; i++) {
      double side = 0;
      double left = 0;
      double size = 0;
      for (int j = 0; j < extent; j++) {
        double coefficient = coefficient(number, i, j);
        side += coefficient;
        left += coefficient * solution[j];
        size += Math.abs(coefficient);
      }
      worst = Math.max(worst, Math.abs(left - side));
      norm = Math.max(norm, size);
      largest = Math.max(largest, Math.abs(solution[i]));
    }
    return worst / (norm * largest * extent * Math.ulp(1.0));
  }
}
