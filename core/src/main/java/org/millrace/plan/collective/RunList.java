package org.millrace.plan.collective;

import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;

/**
 * Builds a pattern from single runs: equal runs at equal distances become a vector, equal vectors
 * at equal distances a grid, so that a list of the columns of an array stays small.
 *
 * <p>Owned by one thread.
 */
final class RunList {

  /** Equal patterns at equal distances. */
  private static final class Family {
    final long offset;
    final Pattern body;
    long stride;
    long count = 1;

    Family(long offset, Pattern body) {
      this.offset = offset;
      this.body = body;
    }

    /** Takes the next member, if it is one. */
    boolean tryAdd(long at, Pattern next) {
      long step = count == 1 ? at - offset : stride;
      if (at != offset + count * step || !next.equals(body)) {
        return false;
      }
      stride = step;
      count++;
      return true;
    }

    Pattern pattern() {
      return Pattern.loop(count, stride, body);
    }
  }

  private final List<Family> grids = new ArrayList<>();
  private Family vector = new Family(0, Pattern.EMPTY);
  private long bytes;

  /** Adds a run. */
  void add(long offset, long length) {
    add(offset, Pattern.run(length));
  }

  /** Adds a pattern, moved by an offset. */
  void add(long offset, Pattern pattern) {
    bytes += pattern.size();
    if (!vector.tryAdd(offset, pattern)) {
      endVector();
      vector = new Family(offset, pattern);
    }
  }

  private void endVector() {
    Pattern done = vector.pattern();
    if (done.size() > 0 && (grids.isEmpty() || !grids.getLast().tryAdd(vector.offset, done))) {
      grids.add(new Family(vector.offset, done));
    }
  }

  /** How many bytes were added. */
  long bytes() {
    return bytes;
  }

  /** How much memory the pattern takes, in vectors. */
  int vectors() {
    return grids.size() + 1;
  }

  /** All of it; nothing may be added any more. */
  Pattern pattern() {
    endVector();
    return Pattern.sequence(
        grids.stream().map(one -> new Placed(one.offset, one.pattern())).toList());
  }
}
