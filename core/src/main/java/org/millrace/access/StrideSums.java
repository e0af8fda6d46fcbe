package org.millrace.access;

import java.util.Arrays;

/**
 * The sums of some strides, each taken a number of times out of a range: does any of them fall into
 * a window? The answer is exact. It is found by taking away one stride after the other. Let {@code
 * n(i)} be how often stride {@code s(i)} is taken, the window {@code [from, to]}. Each rule keeps
 * the answer:
 *
 * <ol>
 *   <li><b>Same strides</b> are one stride, whose range is the sum of theirs.
 *   <li><b>Reach.</b> No sum lies outside the sum of the ranges' ends: the window is cut to that.
 *   <li><b>Common divisor.</b> All sums are multiples of g: strides are divided by it, the window
 *       is cut to multiples of g and divided.
 *   <li><b>Fill.</b> If the smallest stride s is no longer than the window, its windows {@code
 *       [from - n s, to - n s]} for consecutive n leave no gap: the rest must fall into their
 *       union, which is {@code [from - high s, to - low s]}.
 *   <li><b>Containment.</b> The largest stride s must bring the sum to where the others can reach
 *       the window: {@code from - max <= n s <= to - min}, where min and max are the ends of what
 *       the others reach. Nested strides leave one n, and s is gone.
 *   <li><b>Two strides</b> a &lt; b. The window is shorter than a, by the fourth rule, so for each
 *       n of b at most one multiple of a falls into it, and the fifth rule leaves those n for which
 *       this multiple is in a's range, if there is one. Whether there is, is a question about steps
 *       of b on a circle of a bytes: {@link Residues}.
 *   <li><b>Few values.</b> All of them are tried.
 *   <li>Else it is a <b>lattice</b>: {@link LatticeSearch}.
 * </ol>
 *
 * Ranges contain 0, and callers see to it that no sum exceeds a {@code long}, with 1 to spare. So
 * differences that do are as good as the ends of {@code long}.
 *
 * <p>The first six rules take O(depth^2 log span) together. The search of a lattice does not depend
 * on how large counts and strides are, only on their number; with very many it gives up ({@link
 * Budget}).
 *
 * <p>Owned by one thread.
 */
final class StrideSums {

  /** So many values of a stride are tried one by one. */
  private static final long FEW = 3;

  /** Above so many strides even reducing the lattice takes long. */
  private static final int MAX_LATTICE = 24;

  private final Budget budget;

  // the first n are in use, by ascending stride
  private long[] strides = new long[8];
  private long[] lows = new long[8];
  private long[] highs = new long[8];
  private int n;

  private long from;
  private long to;

  StrideSums(Budget budget) {
    this.budget = budget;
  }

  private StrideSums(StrideSums other) {
    budget = other.budget;
    strides = other.strides.clone();
    lows = other.lows.clone();
    highs = other.highs.clone();
    n = other.n;
    from = other.from;
    to = other.to;
  }

  /** Adds a stride, at least 0, that is taken {@code low} to {@code high} times, 0 among them. */
  void add(long stride, long low, long high) {
    if (stride == 0 || (low == 0 && high == 0)) {
      return;
    }
    int place = n;
    while (place > 0 && strides[place - 1] > stride) {
      place--;
    }
    if (place > 0 && strides[place - 1] == stride) {
      lows[place - 1] += low;
      highs[place - 1] += high;
      return;
    }
    if (n == strides.length) {
      strides = Arrays.copyOf(strides, 2 * n);
      lows = Arrays.copyOf(lows, 2 * n);
      highs = Arrays.copyOf(highs, 2 * n);
    }
    for (int i = n++; i > place; i--) {
      strides[i] = strides[i - 1];
      lows[i] = lows[i - 1];
      highs[i] = highs[i - 1];
    }
    strides[place] = stride;
    lows[place] = low;
    highs[place] = high;
  }

  /** Whether a sum lies from {@code windowFrom} to {@code windowTo}, both included. */
  boolean reach(long windowFrom, long windowTo) {
    from = windowFrom;
    to = windowTo;
    while (n > 0) {
      budget.spend();
      long min = 0;
      long max = 0;
      for (int i = 0; i < n; i++) {
        min += lows[i] * strides[i];
        max += highs[i] * strides[i];
      }
      from = Math.max(from, min);
      to = Math.min(to, max);
      if (from > to || !divide()) {
        return false;
      }
      if (isFilled()) {
        continue;
      }
      int last = n - 1;
      long stride = strides[last];
      long othersMin = 0;
      long othersMax = 0;
      for (int i = 0; i < last; i++) {
        othersMin += lows[i] * strides[i];
        othersMax += highs[i] * strides[i];
      }
      long least = Math.max(lows[last], Math.ceilDiv(minus(from, othersMax), stride));
      long most = Math.min(highs[last], Math.floorDiv(minus(to, othersMin), stride));
      if (least > most) {
        return false;
      }
      if (least > lows[last] || most < highs[last]) {
        cutLargest(least, most);
        continue;
      }
      if (n == 2) {
        return two(least, most);
      }
      if (most - least < FEW && most - least >= 0) {
        return branch(least, most);
      }
      return n <= MAX_LATTICE
          ? new LatticeSearch(budget, n, strides, lows, highs, from, to).findsAny()
          : branch(least, most);
    }
    return from <= 0 && 0 <= to;
  }

  /** Divides by what all strides have in common. False if no multiple of it is in the window. */
  private boolean divide() {
    long g = 0;
    for (int i = 0; i < n && g != 1; i++) {
      g = gcd(g, strides[i]);
    }
    if (g > 1) {
      from = Math.ceilDiv(from, g);
      to = Math.floorDiv(to, g);
      for (int i = 0; i < n; i++) {
        strides[i] /= g;
      }
    }
    return from <= to;
  }

  /** Takes the smallest stride away if the window is at least as long. */
  private boolean isFilled() {
    long stride = strides[0];
    long more = to - from; // one less than its length
    if (more >= 0 && more < stride - 1) {
      return false;
    }
    from = minus(from, highs[0] * stride);
    to = minus(to, lows[0] * stride);
    n--;
    System.arraycopy(strides, 1, strides, 0, n);
    System.arraycopy(lows, 1, lows, 0, n);
    System.arraycopy(highs, 1, highs, 0, n);
    return true;
  }

  /** Gives the largest stride a smaller range, which the window pays for if 0 is outside. */
  private void cutLargest(long least, long most) {
    int last = n - 1;
    long sure = least > 0 ? least : Math.min(most, 0);
    lows[last] = least - sure;
    highs[last] = most - sure;
    from = minus(from, sure * strides[last]);
    to = minus(to, sure * strides[last]);
    if (least == most) {
      n--;
    }
  }

  /** Tries all values of the largest stride. */
  private boolean branch(long least, long most) {
    for (long value = least; value <= most; value++) {
      StrideSums rest = new StrideSums(this);
      rest.cutLargest(value, value);
      if (rest.reach(rest.from, rest.to)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Two strides. Values below 0 are another question, so that no product of a value and the stride
   * exceeds what {@link Residues} can tell.
   */
  private boolean two(long least, long most) {
    return (most >= 0 && touches(Math.max(0, least), most))
        || (least < 0 && touches(least, Math.min(-1, most)));
  }

  private boolean touches(long least, long most) {
    long circle = strides[0];
    long start = Math.floorMod(from, circle) - Math.floorMod(least * strides[1], circle);
    long bytes = to - from + 1;
    return Residues.firstTouch(start, -strides[1], bytes, circle, 1) <= most - least;
  }

  static long gcd(long a, long b) {
    long x = a;
    long y = b;
    while (y != 0) {
      long rest = x % y;
      x = y;
      y = rest;
    }
    return x;
  }

  /** The difference, or the end of {@code long} that is nearest to it. */
  static long minus(long a, long b) {
    long difference = a - b;
    if (((a ^ b) & (a ^ difference)) < 0) {
      return a < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return difference;
  }
}
