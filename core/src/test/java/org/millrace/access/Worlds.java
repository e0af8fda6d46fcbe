package org.millrace.access;

import java.util.ArrayList;
import java.util.List;

/** Families of small patterns, complete within their bounds. */
public final class Worlds {

  private Worlds() {}

  /** All nests of the given depth over all runs of 1 to {@code maxRun} bytes. */
  public static List<Flat> loops(int depth, long[] counts, long[] strides, int maxRun) {
    List<Flat> bodies = new ArrayList<>();
    if (depth == 0) {
      for (int length = 1; length <= maxRun; length++) {
        bodies.add(Flat.run(length));
      }
      return bodies;
    }
    for (Flat body : loops(depth - 1, counts, strides, maxRun)) {
      for (long count : counts) {
        for (long stride : strides) {
          bodies.add(Flat.loop(count, stride, body));
        }
      }
    }
    return bodies;
  }

  /** A handful of different kinds, to be combined. */
  public static List<Flat> kinds() {
    return List.of(
        Flat.run(0),
        Flat.run(1),
        Flat.run(3),
        Flat.loop(2, 3, Flat.run(1)),
        Flat.loop(3, 2, Flat.run(2)),
        Flat.loop(2, -2, Flat.run(1)),
        Flat.loop(2, 0, Flat.run(1)),
        Flat.loop(2, 6, Flat.loop(2, 2, Flat.run(1))),
        Flat.indexed(new long[] {0, 2, 5}, new long[] {1, 2, 1}),
        Flat.indexed(new long[] {3, 0, 4}, new long[] {1, 2, 1}));
  }

  /** All sequences of two kinds, the second at each of the displacements. */
  public static List<Flat> sequences(long from, long to) {
    List<Flat> all = new ArrayList<>();
    for (Flat a : kinds()) {
      for (Flat b : kinds()) {
        for (long displacement = from; displacement <= to; displacement++) {
          all.add(Flat.sequence(0, a, displacement, b));
          all.add(Flat.sequence(1, a, displacement, b));
        }
      }
    }
    return all;
  }

  /** All index lists of n entries with offsets below {@code offsets} and lengths up to 2. */
  public static List<Flat> lists(int n, int offsets) {
    List<Flat> all = new ArrayList<>();
    int choices = offsets * 3;
    for (int code = 0; code < Math.pow(choices, n); code++) {
      long[] at = new long[n];
      long[] lengths = new long[n];
      int rest = code;
      for (int i = 0; i < n; i++) {
        at[i] = rest % choices / 3;
        lengths[i] = rest % 3;
        rest /= choices;
      }
      all.add(Flat.indexed(at, lengths));
    }
    return all;
  }
}
