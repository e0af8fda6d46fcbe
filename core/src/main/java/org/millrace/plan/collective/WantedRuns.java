package org.millrace.plan.collective;

import java.util.Collection;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Runs;

/**
 * A cursor over the bytes of an extent that any of several ascending accesses wants, by ascending
 * offset. Gaps up to a limit are part of a run.
 *
 * <p>How it works: a merge of the accesses' own cursors. A vector whose own gaps are short is one
 * run, however many teeth it has, so a step costs a look at the queue for each gap that is left
 * out, not for each wanted element.
 *
 * <p>Owned by one thread.
 */
final class WantedRuns {

  /** The cursor of one access, at a run or at a vector that counts as one. */
  private static final class Source {
    private final Runs runs;
    private final long gapBytes;
    private long tooth;
    private long start;
    private long end;

    Source(Access access, Extent within, long gapBytes) {
      this.runs = access.view().runs(access.from(), access.to(), within.offset(), within.end());
      this.gapBytes = gapBytes;
    }

    boolean next() {
      if (tooth == 0 && !runs.next()) {
        return false;
      }
      start = runs.offset() + tooth * runs.stride();
      boolean whole = runs.count() == 1 || runs.stride() - runs.length() <= gapBytes;
      long taken = whole ? runs.count() : 1;
      end = start + (taken - 1) * runs.stride() + runs.length();
      tooth = (tooth + taken) % runs.count();
      return true;
    }
  }

  private final PriorityQueue<Source> sources =
      new PriorityQueue<>(Comparator.comparingLong((Source one) -> one.start));
  private final long gapBytes;

  private long offset;
  private long end;

  /** Stands at the first run. */
  WantedRuns(Collection<Access> accesses, Extent within, long gapBytes) {
    this.gapBytes = gapBytes;
    for (Access one : accesses) {
      Source source = new Source(one, within, gapBytes);
      if (source.next()) {
        sources.add(source);
      }
    }
    advance();
  }

  /** Whether nothing is left. */
  boolean isEmpty() {
    return offset == end;
  }

  /** Where the run begins, or what is left of it. */
  long offset() {
    return offset;
  }

  /** One past its last byte. */
  long end() {
    return end;
  }

  /** Passes what lies before an offset within the run; at its end the next run follows. */
  void pass(long to) {
    offset = to;
    if (offset == end) {
      advance();
    }
  }

  private void advance() {
    Source first = sources.peek();
    if (first == null) {
      return;
    }
    offset = first.start;
    end = first.end;
    while (first != null && first.start - end <= gapBytes) {
      end = Math.max(end, first.end);
      sources.remove();
      if (first.next()) {
        sources.add(first);
      }
      first = sources.peek();
    }
  }
}
