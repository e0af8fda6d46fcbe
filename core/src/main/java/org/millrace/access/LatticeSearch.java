package org.millrace.access;

import static java.math.BigInteger.ONE;
import static java.math.BigInteger.TWO;
import static java.math.BigInteger.ZERO;

import java.math.BigInteger;

/**
 * Looks for numbers {@code n(i)} within ranges for which the sum of {@code n(i) * s(i)} falls into
 * a window: three strides or more, none of which contains the others.
 *
 * <p>Each choice of numbers is a point of a lattice: its coordinates are {@code 2 w(i) n(i)} and,
 * as the last one, {@code 2 w sum}. The weights make all ranges and the window about equally wide,
 * {@code 2 T}. A choice within ranges and window differs from their middles by at most T in each
 * coordinate, so its point lies in the ball of radius T times the root of the number of coordinates
 * around the middles. <em>All</em> lattice points in this ball are enumerated, and each is held
 * against the ranges and the window: so the answer is exact.
 *
 * <p>To enumerate few points the basis is reduced first, by the algorithm of Lenstra, Lenstra and
 * Lovász (1982), in the integers (Cohen, <em>A Course in Computational Algebraic Number
 * Theory</em>, algorithm 2.6.7): with {@code d(j)} the Gram determinants of the first j vectors and
 * {@code l(i,j) = d(j) mu(i,j)}. The point {@code sum z(j) b(j)} differs from the middle t, along
 * the j-th orthogonalized vector, by {@code v(j) = d(j) z(j) + sum over i > j of l(i,j) z(i) -
 * l(t,j)}, which counts {@code v(j)^2 / (d(j) d(j-1))} towards the square of the distance (Fincke
 * and Pohst, 1985). These are rounded down, so that no point is missed; nothing is a floating-point
 * number.
 *
 * <p>Reducing does not change which points there are. How many are enumerated depends on the number
 * of strides, not on how large they are: at most some four to the power of it where the pattern is
 * nearly dense, since a pattern with more bytes than offsets never comes here.
 *
 * <p>Owned by one thread, for one search.
 */
final class LatticeSearch {

  private static final BigInteger SCALE = BigInteger.valueOf(16); // so that weights round little
  private static final BigInteger THREE = BigInteger.valueOf(3);
  private static final BigInteger FOUR = BigInteger.valueOf(4);

  // constant after construction; vectors count from 1
  private final Budget budget;
  private final int n;
  private final long[] lows;
  private final long[] highs;
  private final long from;
  private final long to;
  private final BigInteger[] weights;
  private final BigInteger[] middle;
  private final BigInteger radius; // squared

  // the basis, its Gram determinants, and what remains of each vector along those before it
  private final BigInteger[][] basis;
  private final BigInteger[] gram;
  private final BigInteger[][] along;

  // the search
  private final BigInteger[] middleAlong;
  private final BigInteger[] chosen;

  LatticeSearch(
      Budget budget, int n, long[] strides, long[] lows, long[] highs, long from, long to) {
    this.budget = budget;
    this.n = n;
    this.lows = lows;
    this.highs = highs;
    this.from = from;
    this.to = to;
    BigInteger[] widths = new BigInteger[n + 1];
    BigInteger widest = ONE;
    for (int i = 0; i <= n; i++) {
      BigInteger low = BigInteger.valueOf(i < n ? lows[i] : from);
      widths[i] = BigInteger.valueOf(i < n ? highs[i] : to).subtract(low).max(ONE);
      widest = widest.max(widths[i]);
    }
    BigInteger half = widest.multiply(SCALE);
    weights = new BigInteger[n + 1];
    middle = new BigInteger[n + 1];
    for (int i = 0; i <= n; i++) {
      weights[i] = half.divide(widths[i]);
      BigInteger low = BigInteger.valueOf(i < n ? lows[i] : from);
      middle[i] = BigInteger.valueOf(i < n ? highs[i] : to).add(low).multiply(weights[i]);
    }
    radius = half.multiply(half).multiply(BigInteger.valueOf(n + 1L));
    basis = new BigInteger[n + 1][n + 1];
    for (int i = 1; i <= n; i++) {
      for (int k = 0; k < n; k++) {
        basis[i][k] = k == i - 1 ? weights[k].multiply(TWO) : ZERO;
      }
      basis[i][n] = weights[n].multiply(TWO).multiply(BigInteger.valueOf(strides[i - 1]));
    }
    gram = new BigInteger[n + 1];
    along = new BigInteger[n + 1][n + 1];
    middleAlong = new BigInteger[n + 1];
    chosen = new BigInteger[n + 1];
  }

  /** Whether there are such numbers. */
  boolean findsAny() {
    reduce();
    BigInteger rest = orthogonalize(middle, middleAlong, n);
    return search(n, radius.subtract(rest.divide(gram[n])));
  }

  /**
   * Sets a vector's {@code l(j)} along the first {@code count} of the basis; returns the Gram
   * determinant of these and the vector.
   */
  private BigInteger orthogonalize(BigInteger[] vector, BigInteger[] its, int count) {
    for (int j = 1; j <= count; j++) {
      its[j] = reduced(product(vector, basis[j]), its, along[j], j);
    }
    return reduced(product(vector, vector), its, its, count + 1);
  }

  /** A product of two vectors, of which those along the first ones of the basis are taken away. */
  private BigInteger reduced(BigInteger product, BigInteger[] a, BigInteger[] b, int end) {
    BigInteger left = product;
    for (int i = 1; i < end; i++) {
      left = gram[i].multiply(left).subtract(a[i].multiply(b[i])).divide(gram[i - 1]);
    }
    return left;
  }

  private static BigInteger product(BigInteger[] a, BigInteger[] b) {
    BigInteger sum = ZERO;
    for (int k = 0; k < a.length; k++) {
      sum = sum.add(a[k].multiply(b[k]));
    }
    return sum;
  }

  private void reduce() {
    gram[0] = ONE;
    int known = 0;
    int k = 1;
    while (k <= n) {
      budget.spend();
      if (k > known) {
        gram[k] = orthogonalize(basis[k], along[k], k - 1);
        known = k;
      }
      if (k == 1) {
        k = 2;
        continue;
      }
      shorten(k, k - 1);
      BigInteger last = along[k][k - 1];
      BigInteger left = gram[k].multiply(gram[k - 2]).add(last.multiply(last)).multiply(FOUR);
      if (left.compareTo(gram[k - 1].multiply(gram[k - 1]).multiply(THREE)) < 0) {
        swap(k, known);
        k = Math.max(2, k - 1);
      } else {
        for (int l = k - 2; l >= 1; l--) {
          shorten(k, l);
        }
        k++;
      }
    }
  }

  /** Takes the l-th vector from the k-th as often as makes that shortest. */
  private void shorten(int k, int l) {
    BigInteger times = rounded(along[k][l], gram[l]);
    if (times.signum() == 0) {
      return;
    }
    for (int i = 0; i <= n; i++) {
      basis[k][i] = basis[k][i].subtract(times.multiply(basis[l][i]));
    }
    along[k][l] = along[k][l].subtract(times.multiply(gram[l]));
    for (int i = 1; i < l; i++) {
      along[k][i] = along[k][i].subtract(times.multiply(along[l][i]));
    }
  }

  private void swap(int k, int known) {
    BigInteger[] vector = basis[k];
    basis[k] = basis[k - 1];
    basis[k - 1] = vector;
    for (int j = 1; j <= k - 2; j++) {
      BigInteger one = along[k][j];
      along[k][j] = along[k - 1][j];
      along[k - 1][j] = one;
    }
    BigInteger last = along[k][k - 1];
    BigInteger determinant =
        gram[k - 2].multiply(gram[k]).add(last.multiply(last)).divide(gram[k - 1]);
    for (int i = k + 1; i <= known; i++) {
      BigInteger one = along[i][k];
      along[i][k] =
          gram[k].multiply(along[i][k - 1]).subtract(last.multiply(one)).divide(gram[k - 1]);
      along[i][k - 1] = determinant.multiply(one).add(last.multiply(along[i][k])).divide(gram[k]);
    }
    gram[k - 1] = determinant;
  }

  /** Chooses the j-th multiple, from the nearest to the middle outwards, and on from there. */
  private boolean search(int j, BigInteger left) {
    if (left.signum() < 0) {
      return false;
    }
    budget.spend();
    if (j == 0) {
      return isSolution();
    }
    BigInteger offset = middleAlong[j].negate();
    for (int i = j + 1; i <= n; i++) {
      offset = offset.add(along[i][j].multiply(chosen[i]));
    }
    BigInteger unit = gram[j].multiply(gram[j - 1]);
    BigInteger nearest = rounded(offset.negate(), gram[j]);
    // Both directions: each step goes further away, so the first that is too far ends it.
    for (int direction = -1; direction <= 1; direction += 2) {
      BigInteger step = BigInteger.valueOf(direction);
      BigInteger choice = direction < 0 ? nearest : nearest.add(ONE);
      while (true) {
        BigInteger away = gram[j].multiply(choice).add(offset);
        BigInteger rest = left.subtract(away.multiply(away).divide(unit));
        if (rest.signum() < 0) {
          break;
        }
        chosen[j] = choice;
        if (search(j - 1, rest)) {
          return true;
        }
        choice = choice.add(step);
      }
    }
    return false;
  }

  private boolean isSolution() {
    for (int i = 0; i <= n; i++) {
      BigInteger coordinate = ZERO;
      for (int j = 1; j <= n; j++) {
        coordinate = coordinate.add(chosen[j].multiply(basis[j][i]));
      }
      BigInteger value = coordinate.divide(weights[i].multiply(TWO)); // without rest
      BigInteger low = BigInteger.valueOf(i < n ? lows[i] : from);
      BigInteger high = BigInteger.valueOf(i < n ? highs[i] : to);
      if (value.compareTo(low) < 0 || value.compareTo(high) > 0) {
        return false;
      }
    }
    return true;
  }

  /** The whole number nearest to a quotient. */
  private static BigInteger rounded(BigInteger a, BigInteger b) {
    BigInteger twice = a.multiply(TWO).add(b);
    BigInteger[] parts = twice.divideAndRemainder(b.multiply(TWO));
    return parts[1].signum() < 0 ? parts[0].subtract(ONE) : parts[0];
  }
}
