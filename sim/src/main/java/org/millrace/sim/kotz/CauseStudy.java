package org.millrace.sim.kotz;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The representative patterns with one thing changed at a time, beside the paper's numbers.
 *
 * <p>Used by one platform thread.
 */
public final class CauseStudy {

  // constant after construction
  private final long fileBytes;
  private final long seed;
  private final List<Cause> causes;

  /** A study of all causes with a file of so many bytes. */
  public CauseStudy(long fileBytes, long seed) {
    this(fileBytes, seed, Cause.all());
  }

  CauseStudy(long fileBytes, long seed, List<Cause> causes) {
    this.fileBytes = fileBytes;
    this.seed = seed;
    this.causes = List.copyOf(causes);
  }

  /** How many runs there are. */
  public int runs() {
    return causes.stream().mapToInt(cause -> cause.patterns().size()).sum();
  }

  /** Does all; returns the outcomes of each cause. */
  public Map<Cause, List<Outcome>> run(Study.Listener listener) {
    Map<Cause, List<Outcome>> found = new LinkedHashMap<>();
    for (Cause cause : causes) {
      found.put(
          cause,
          cause.patterns().stream()
              .map(
                  pattern -> {
                    Outcome one = Experiment.run(cause, pattern, fileBytes, seed);
                    listener.ended(one);
                    return one;
                  })
              .toList());
    }
    return found;
  }

  /** The outcomes as text. */
  public static String text(Map<Cause, List<Outcome>> found) {
    StringBuilder text = new StringBuilder();
    found.forEach(
        (cause, outcomes) -> {
          text.append("%s: %s%n".formatted(cause.system().words(), cause.name()));
          text.append(
              "%-14s%16s%16s%16s%12s%12s%16s%n"
                  .formatted(
                      "", "MB/s", "CPU free, %", "barriers, %", "us/block", "quiet, %", "nodes"));
          for (Outcome one : outcomes) {
            text.append(row(one)).append('\n');
          }
        });
    return text.append(
            "Paper's numbers in brackets; us/block: a node's processor for a block; quiet: no"
                + " node's processor has anything to do; nodes: how many work at the same time,"
                + " on average\n")
        .toString();
  }

  private static String row(Outcome one) {
    Optional<Paper.Numbers> paper = Paper.of(one);
    return String.format(
        Locale.ROOT,
        "%-14s%16s%16s%16s%12.1f%12.1f%16.1f",
        one.pattern().role(),
        beside(one.megabytesPerSecond(), paper.map(Paper.Numbers::megabytes)),
        beside(100 * one.free(), paper.map(Paper.Numbers::free)),
        beside(100 * one.freeWithBarriers(), paper.map(Paper.Numbers::barriers)),
        one.nodeMicrosPerBlock(),
        100 * one.shares().quiet(),
        one.shares().nodes() * Experiment.PROCESSES);
  }

  private static String beside(double here, Optional<Double> paper) {
    return String.format(Locale.ROOT, "%.1f", here)
        + paper.map(its -> String.format(Locale.ROOT, " (%.1f)", its)).orElse("");
  }
}
