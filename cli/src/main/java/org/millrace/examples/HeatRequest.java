package org.millrace.examples;

import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * What a run of {@link Heat} shall do. Immutable.
 *
 * @param directory of the cluster that holds the field
 * @param ranks how many share the work
 * @param nodes how many hold the files that the run makes
 * @param size rows and columns of the grid; if left out, the checkpoint's or the default
 * @param steps to be done in all; if left out, as above
 * @param every how many steps from one snapshot and checkpoint to the next; if left out, as above
 * @param resume continue from the checkpoint instead of beginning anew
 */
public record HeatRequest(
    Path directory,
    int ranks,
    int nodes,
    OptionalInt size,
    OptionalInt steps,
    OptionalInt every,
    boolean resume) {

  /** Rows and columns of the grid unless the request says otherwise. */
  public static final int DEFAULT_SIZE = 640;

  /** Steps unless the request says otherwise. */
  public static final int DEFAULT_STEPS = 1000;

  private static final int DEFAULT_SNAPSHOTS = 10;

  /** Checks the bounds. */
  public HeatRequest {
    checkAtLeast(1, ranks, "ranks");
    checkAtLeast(1, nodes, "nodes");
    size.ifPresent(n -> checkAtLeast(1, n, "size"));
    steps.ifPresent(k -> checkAtLeast(0, k, "steps"));
    every.ifPresent(s -> checkAtLeast(1, s, "every"));
  }

  private static void checkAtLeast(int bound, int value, String what) {
    if (value < bound) {
      throw new IllegalArgumentException(what + " must be at least " + bound + ", was " + value);
    }
  }

  /** The plan of a run that begins anew. */
  HeatPlan fresh() {
    int count = steps.orElse(DEFAULT_STEPS);
    int interval = every.orElse(Math.max(1, Math.ceilDiv(count, DEFAULT_SNAPSHOTS)));
    return new HeatPlan(size.orElse(DEFAULT_SIZE), 0, count, interval);
  }

  /**
   * The plan of a run that continues from a checkpoint.
   *
   * @throws HeatException if this request does not go with the checkpoint
   */
  HeatPlan continuing(HeatPlan saved) throws HeatException {
    if (size.orElse(saved.size()) != saved.size()) {
      throw new HeatException(
          "--size %s differs from the checkpoint's %s; leave --size out, or --resume to begin anew"
              .formatted(size.getAsInt(), saved.size()));
    }
    if (every.orElse(saved.every()) != saved.every()) {
      throw new HeatException(
          "--every %s differs from the checkpoint's %s; leave --every out"
              .formatted(every.getAsInt(), saved.every()));
    }
    int count = steps.orElse(saved.steps());
    if (count < saved.step()) {
      throw new HeatException(
          "--steps %s is less than the %s already done; give more, or leave --resume out"
              .formatted(count, saved.step()));
    }
    return new HeatPlan(saved.size(), saved.step(), count, saved.every());
  }
}
