package org.millrace.bench.grid;

import java.util.ArrayList;
import java.util.List;

/**
 * How large the workloads of a team are; every process makes them by itself. Immutable.
 *
 * @param extent rows and columns of PASSION's array
 * @param patternBytes size of the file of Kotz's patterns
 * @param segments of IOR's hard run
 */
public record TeamSizes(int extent, long patternBytes, int segments) {

  /** What the papers had. */
  public static final TeamSizes FULL =
      new TeamSizes(Workloads.PASSION_EXTENT, Workloads.SMALL_BYTES, 200);

  /** For tests. */
  public static final TeamSizes TINY = new TeamSizes(64, 640 << 10, 2);

  /** All workloads of so many ranks: of PASSION, Kotz and IOR. */
  public List<Workload> workloads(int ranks) {
    List<Workload> all = new ArrayList<>(Workloads.passion(ranks, extent));
    all.addAll(Workloads.patterns(ranks, patternBytes));
    all.addAll(Workloads.iorHard(ranks, segments));
    return List.copyOf(all);
  }

  /** As one word, which {@link #parse} takes. */
  public String word() {
    return extent + "," + patternBytes + "," + segments;
  }

  /** What {@link #word} wrote. */
  public static TeamSizes parse(String word) {
    String[] parts = word.split(",", -1);
    return new TeamSizes(
        Integer.parseInt(parts[0]), Long.parseLong(parts[1]), Integer.parseInt(parts[2]));
  }
}
