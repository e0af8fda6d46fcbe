package org.millrace.disk;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Which pages of a sums file there are, as runs of neighbours: a page that is in none of them was
 * never written, and one that is must be whole. There are few runs, so that they fit into the
 * header: where there would be more, the pages of the smallest gap are made as well. Immutable.
 *
 * @param runs ascending, with gaps between them
 */
record PageRuns(List<Run> runs) {

  /** The most runs that a header has room for. */
  static final int MAX_RUNS = 24;

  /** The largest gap that is filled, in pages. */
  private static final long MAX_GAP = 1 << 16;

  /** The runs of a new strand: the first page is made with it. */
  static final PageRuns FIRST = new PageRuns(List.of(new Run(0, 1)));

  /** The pages {@code [from, to)}. */
  record Run(long from, long to) {}

  /** Keeps a copy and checks the order. */
  PageRuns {
    runs = List.copyOf(runs);
    long last = -1;
    for (Run run : runs) {
      if (run.from <= last || run.to <= run.from) {
        throw new IllegalArgumentException("runs of pages out of order: " + runs);
      }
      last = run.to;
    }
  }

  boolean has(long page) {
    for (Run run : runs) {
      if (page < run.to) {
        return page >= run.from;
      }
    }
    return false;
  }

  /** One past the last page. */
  long end() {
    return runs.isEmpty() ? 0 : runs.getLast().to;
  }

  /** Those below {@code pages}. */
  PageRuns below(long pages) {
    List<Run> kept = new ArrayList<>();
    for (Run run : runs) {
      if (run.from < pages) {
        kept.add(new Run(run.from, Math.min(run.to, pages)));
      }
    }
    return new PageRuns(kept);
  }

  /** With these pages, and as many more as it takes to have few runs. */
  PageRuns with(SortedSet<Long> pages, String name) throws MillraceException {
    List<Run> all = new ArrayList<>(runs);
    pages.forEach(page -> all.add(new Run(page, page + 1)));
    all.sort((a, b) -> Long.compare(a.from, b.from));
    List<Run> joined = new ArrayList<>();
    for (Run run : all) {
      Run last = joined.isEmpty() ? null : joined.getLast();
      if (last != null && run.from <= last.to) {
        joined.set(joined.size() - 1, new Run(last.from, Math.max(last.to, run.to)));
      } else {
        joined.add(run);
      }
    }
    while (joined.size() > MAX_RUNS) {
      fillSmallestGap(joined, name);
    }
    return new PageRuns(joined);
  }

  private static void fillSmallestGap(List<Run> runs, String name) throws MillraceException {
    int best = 1;
    for (int i = 2; i < runs.size(); i++) {
      best = gap(runs, i) < gap(runs, best) ? i : best;
    }
    if (gap(runs, best) > MAX_GAP) {
      throw new MillraceException(
          ErrorCode.DISK,
          "%s: more than %s regions with more than %s blocks between them: too sparse for one strand"
              .formatted(name, MAX_RUNS, MAX_GAP * SumsPage.ENTRIES));
    }
    Run right = runs.remove(best);
    runs.set(best - 1, new Run(runs.get(best - 1).from, right.to));
  }

  private static long gap(List<Run> runs, int before) {
    return runs.get(before).from - runs.get(before - 1).to;
  }
}
