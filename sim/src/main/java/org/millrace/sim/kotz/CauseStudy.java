package org.millrace.sim.kotz;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.millrace.output.Table;

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
          Table table =
              new Table(
                  "", ">MB/s", ">CPU free, %", ">barriers, %", ">us/block", ">quiet, %", ">nodes");
          outcomes.forEach(one -> addRow(table, one));
          text.append(table.text());
        });
    return text.append(
            "Paper's numbers in brackets; us/block: a node's processor for a block; quiet: no"
                + " node's processor has anything to do; nodes: how many work at the same time,"
                + " on average\n")
        .toString();
  }

  private static void addRow(Table table, Outcome one) {
    Optional<Paper.Numbers> paper = Paper.of(one);
    table.row(
        one.pattern().role(),
        beside(one.megabytesPerSecond(), paper.map(Paper.Numbers::megabytes)),
        beside(100 * one.free(), paper.map(Paper.Numbers::free)),
        beside(100 * one.freeWithBarriers(), paper.map(Paper.Numbers::barriers)),
        Column.number(one.nodeMicrosPerBlock()),
        Column.number(100 * one.shares().quiet()),
        Column.number(one.shares().nodes() * Experiment.PROCESSES));
  }

  private static String beside(double here, Optional<Double> paper) {
    return Column.number(here) + paper.map(its -> " (" + Column.number(its) + ")").orElse("");
  }
}
