package org.millrace.sim.kotz;

import java.util.ArrayList;
import java.util.List;

/**
 * All runs of the experiment, one after the other, each in an environment of its own.
 *
 * <p>Used by one platform thread.
 */
public final class Study {

  /** Hears of outcomes. */
  public interface Listener {
    /** One more run has ended. */
    void ended(Outcome outcome);
  }

  private record Run(Hardware hardware, AccessPattern pattern, FileSystem system) {}

  /** A request for each 8 bytes of a larger file takes hours, and a trace of gigabytes. */
  private static final long MAX_REQUESTED_BYTES = 100L << 20;

  // constant after construction
  private final long fileBytes;
  private final long seed;
  private final List<Run> runs = new ArrayList<>();
  private int leftOut;

  /**
   * A study.
   *
   * @param quick only the four patterns that stand for all, and only table 1's machine
   * @param fileBytes of the file; the paper's is {@link AccessPattern#FILE_BYTES}
   * @param seed of every run
   */
  public Study(boolean quick, long fileBytes, long seed) {
    this.fileBytes = fileBytes;
    this.seed = seed;
    add(Hardware.TABLE_1, quick ? AccessPattern.representative() : AccessPattern.all());
    if (!quick) {
      Hardware.all().stream().skip(1).forEach(each -> add(each, AccessPattern.representative()));
    }
  }

  private void add(Hardware hardware, List<AccessPattern> patterns) {
    for (AccessPattern pattern : patterns) {
      for (FileSystem system : FileSystem.values()) {
        boolean tooMany =
            system == FileSystem.TRADITIONAL && pattern.isHard() && fileBytes > MAX_REQUESTED_BYTES;
        if (tooMany) {
          leftOut++;
        } else {
          runs.add(new Run(hardware, pattern, system));
        }
      }
    }
  }

  /** What is not run, for people; empty if all is. */
  public String leftOut() {
    return leftOut == 0
        ? ""
        : ("Left out: %s runs of hard patterns by traditional caching, in which each element of a"
                + " file of more than %s MB is a request of its own.%n")
            .formatted(leftOut, MAX_REQUESTED_BYTES >> 20);
  }

  /** How many runs there are. */
  public int runs() {
    return runs.size();
  }

  /** Does all; returns the outcomes in the order of the runs. */
  public List<Outcome> run(Listener listener) {
    List<Outcome> outcomes = new ArrayList<>();
    for (Run run : runs) {
      Outcome outcome = Experiment.run(run.hardware, run.pattern, run.system, fileBytes, seed);
      outcomes.add(outcome);
      listener.ended(outcome);
    }
    return outcomes;
  }
}
