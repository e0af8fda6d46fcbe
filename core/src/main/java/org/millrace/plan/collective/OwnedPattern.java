package org.millrace.plan.collective;

import org.millrace.access.Extent;
import org.millrace.access.Pattern;

/**
 * A pattern at a place, and its owner: the input of {@link DisjointLoops}. Immutable.
 *
 * @param owner whose
 * @param pattern what
 * @param base what is added to its offsets
 * @param low its first offset, or a higher one below which it is known to have nothing
 * @param high one past its last offset, or a lower one
 */
record OwnedPattern(int owner, Pattern pattern, long base, long low, long high) {

  OwnedPattern(int owner, Pattern pattern, long base) {
    this(owner, pattern, base, base + pattern.first(), base + pattern.end());
  }

  long span() {
    return pattern.end() - pattern.first();
  }

  /** The same where only part of the pattern is meant. */
  OwnedPattern cutTo(Extent span) {
    return new OwnedPattern(
        owner, pattern, base, Math.max(low, span.offset()), Math.min(high, span.end()));
  }

  /** The same pattern so that its span starts at an offset. */
  OwnedPattern startingAt(long offset) {
    return new OwnedPattern(owner, pattern, offset - pattern.first());
  }
}
