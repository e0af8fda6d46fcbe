package org.millrace.access;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The naive oracle: a pattern beside the offsets of all its bytes, both made from the same
 * arguments but not from each other. Small patterns only.
 */
public final class Flat {

  private final Pattern pattern;
  private final long[] offsets;

  Flat(Pattern pattern, long[] offsets) {
    this.pattern = pattern;
    this.offsets = offsets;
  }

  public Pattern pattern() {
    return pattern;
  }

  public long[] offsets() {
    return offsets;
  }

  public static Flat run(long length) {
    return new Flat(Pattern.run(length), LongStream.range(0, length).toArray());
  }

  public static Flat loop(long count, long stride, Flat body) {
    LongStream offsets =
        LongStream.range(0, count)
            .flatMap(i -> Arrays.stream(body.offsets).map(offset -> offset + i * stride));
    return new Flat(Pattern.loop(count, stride, body.pattern), offsets.toArray());
  }

  public static Flat sequence(long d0, Flat child0, long d1, Flat child1) {
    LongStream offsets =
        LongStream.concat(
            Arrays.stream(child0.offsets).map(offset -> offset + d0),
            Arrays.stream(child1.offsets).map(offset -> offset + d1));
    Pattern pattern =
        Pattern.sequence(List.of(new Placed(d0, child0.pattern), new Placed(d1, child1.pattern)));
    return new Flat(pattern, offsets.toArray());
  }

  public static Flat indexed(long[] at, long[] lengths) {
    List<Long> offsets = new ArrayList<>();
    for (int i = 0; i < at.length; i++) {
      for (long k = 0; k < lengths[i]; k++) {
        offsets.add(at[i] + k);
      }
    }
    return new Flat(
        Pattern.indexed(at, lengths), offsets.stream().mapToLong(Long::longValue).toArray());
  }

  public long first() {
    return Arrays.stream(offsets).min().orElse(0);
  }

  public long end() {
    return offsets.length == 0 ? 0 : Arrays.stream(offsets).max().getAsLong() + 1;
  }

  public boolean isAscending() {
    for (int i = 1; i < offsets.length; i++) {
      if (offsets[i] <= offsets[i - 1]) {
        return false;
      }
    }
    return true;
  }

  public boolean isContiguous() {
    for (int i = 1; i < offsets.length; i++) {
      if (offsets[i] != offsets[i - 1] + 1) {
        return false;
      }
    }
    return true;
  }

  public boolean isDisjoint() {
    return Arrays.stream(offsets).distinct().count() == offsets.length;
  }

  /** Everything a pattern can be asked, over all its positions and offsets. */
  public void check() {
    checkNumbers();
    int n = offsets.length;
    long low = first() - 1;
    long high = end() + 1;
    Runs runs = new Runs();
    for (int from = 0; from <= n; from++) {
      for (int to = from; to <= n; to++) {
        runs.reset(pattern, from, to);
        checkRuns(runs, from, to, Long.MIN_VALUE, Long.MAX_VALUE);
      }
    }
    for (long from = low; from <= high; from++) {
      for (long to = from; to <= high; to++) {
        runs.reset(pattern, 0, n, from, to);
        checkRuns(runs, 0, n, from, to);
      }
    }
  }

  /** As check, and every range of positions with every window of offsets. */
  public void checkWindows() {
    check();
    Runs runs = new Runs();
    for (int from = 0; from <= offsets.length; from++) {
      for (int to = from; to <= offsets.length; to++) {
        for (long low = first() - 1; low <= end() + 1; low++) {
          for (long high = low; high <= end() + 1; high++) {
            runs.reset(pattern, from, to, low, high);
            checkRuns(runs, from, to, low, high);
          }
        }
      }
    }
  }

  private void checkNumbers() {
    same("size", offsets.length, pattern.size());
    same("first", first(), pattern.first());
    same("end", end(), pattern.end());
    same("isAscending", isAscending(), pattern.isAscending());
    same("isContiguous", isContiguous(), pattern.isContiguous());
    same("isDisjoint", isDisjoint(), pattern.isDisjoint());
    for (int p = 0; p < offsets.length; p++) {
      same("offsetOf " + p, offsets[p], pattern.offsetOf(p));
    }
    if (isAscending()) {
      for (long offset = first() - 2; offset <= end() + 2; offset++) {
        long at = offset;
        long below = Arrays.stream(offsets).filter(o -> o < at).count();
        boolean selected = Arrays.stream(offsets).anyMatch(o -> o == at);
        same("positionOf " + offset, below, pattern.positionOf(offset));
        same("selects " + offset, selected, pattern.selects(offset));
      }
    }
  }

  private void checkRuns(Runs runs, int from, int to, long low, long high) {
    walk(pattern, offsets, runs, from, to, low, high);
  }

  /** Walks a cursor and compares each byte that it names with the oracle's. */
  static void walk(Object what, long[] offsets, Runs runs, int from, int to, long low, long high) {
    int p = from;
    while (runs.next()) {
      if (runs.count() < 1 || runs.length() < 1) {
        throw wrong(what, "an empty vector at " + runs.position(), from, to, low, high);
      }
      for (long i = 0; i < runs.count(); i++) {
        for (long k = 0; k < runs.length(); k++) {
          while (p < to && (offsets[p] < low || offsets[p] >= high)) {
            p++;
          }
          long position = runs.position() + i * runs.length() + k;
          long offset = runs.offset() + i * runs.stride() + k;
          if (p >= to || position != p || offset != offsets[p]) {
            throw wrong(what, "position " + position + " at " + offset, from, to, low, high);
          }
          p++;
        }
      }
    }
    while (p < to && (offsets[p] < low || offsets[p] >= high)) {
      p++;
    }
    if (p < to) {
      throw wrong(what, "no position " + p, from, to, low, high);
    }
  }

  private static AssertionError wrong(
      Object what, String found, long from, long to, long low, long high) {
    return new AssertionError(
        what + ": runs of [" + from + "," + to + ") in [" + low + "," + high + ") name " + found);
  }

  private void same(String what, boolean expected, boolean actual) {
    same(what, expected ? 1 : 0, actual ? 1 : 0);
  }

  private void same(String what, long expected, long actual) {
    if (expected != actual) {
      throw new AssertionError(
          pattern
              + " "
              + Arrays.toString(offsets)
              + ": "
              + what
              + " is "
              + actual
              + ", not "
              + expected);
    }
  }

  @Override
  public String toString() {
    return pattern + " " + Arrays.toString(offsets);
  }
}
