package org.millrace.access;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What all patterns have in common: the sizes, computed at construction, and the argument checks.
 * Subclasses answer unchecked. Immutable, but for an answer that is remembered.
 *
 * <p>Constructors throw {@link ArithmeticException} where a number would not fit; {@link Patterns}
 * turns that into a message about the arguments.
 */
abstract sealed class PatternNode implements Pattern permits Run, Loop, Sequence, Indexed {

  // Constant after construction.
  final long size;
  final long first;
  final long end;
  final long runCount;
  final int depth;
  final boolean ascending;

  /** What was found out last about bytes that are selected twice; see {@link Disjoint}. */
  volatile Disjoint.@Nullable Answer answer;

  PatternNode(long size, long first, long end, long runCount, int depth, boolean ascending) {
    if (depth > MAX_DEPTH) {
      throw new IllegalArgumentException(
          "pattern nests " + depth + " deep, more than " + MAX_DEPTH);
    }
    Math.subtractExact(end, first);
    this.size = size;
    this.first = first;
    this.end = end;
    this.runCount = runCount;
    this.depth = depth;
    this.ascending = ascending;
  }

  /** The offset of a position that is known to exist. */
  abstract long at(long position);

  /** How many bytes lie below the offset, for an ascending pattern. */
  abstract long below(long offset);

  /** The lowest offset of a range of positions that is not empty and exists. */
  abstract long low(long from, long to);

  /** One past the highest offset of a range of positions that is not empty and exists. */
  abstract long high(long from, long to);

  final long span() {
    return end - first;
  }

  @Override
  public final long size() {
    return size;
  }

  @Override
  public final long runCount() {
    return runCount;
  }

  @Override
  public final long first() {
    return first;
  }

  @Override
  public final long end() {
    return end;
  }

  @Override
  public final boolean isAscending() {
    return ascending;
  }

  @Override
  public final boolean isContiguous() {
    // Normal form: whatever is one run was built as one.
    return runCount <= 1;
  }

  @Override
  public final boolean isDisjoint() {
    return disjointness() == Disjointness.DISJOINT;
  }

  @Override
  public final Disjointness disjointness() {
    return Disjoint.test(this, 1, 0);
  }

  @Override
  public final Pattern shifted(long displacement) {
    return displacement == 0 ? this : Pattern.sequence(List.of(new Placed(displacement, this)));
  }

  @Override
  public final long offsetOf(long position) {
    if (position < 0 || position >= size) {
      throw new IndexOutOfBoundsException(
          "position " + position + " is not in a pattern of " + size + " bytes");
    }
    return at(position);
  }

  @Override
  public final long positionOf(long offset) {
    requireAscending("positionOf");
    return offset <= first ? 0 : offset >= end ? size : below(offset);
  }

  @Override
  public final boolean selects(long offset) {
    requireAscending("selects");
    return offset >= first && offset < end && at(below(offset)) == offset;
  }

  @Override
  public final Runs runs(long fromPosition, long toPosition) {
    Runs runs = new Runs();
    runs.reset(this, fromPosition, toPosition);
    return runs;
  }

  @Override
  public final Runs runs(long fromPosition, long toPosition, long fromOffset, long toOffset) {
    Runs runs = new Runs();
    runs.reset(this, fromPosition, toPosition, fromOffset, toOffset);
    return runs;
  }

  @Override
  public final Intersections intersect(Pattern other) {
    Objects.requireNonNull(other, "other");
    return new Intersections(this, (PatternNode) other);
  }

  final void requireAscending(String operation) {
    if (!ascending) {
      throw new IllegalStateException(operation + " needs an ascending pattern, this is " + this);
    }
  }
}
