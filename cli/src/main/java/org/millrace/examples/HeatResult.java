package org.millrace.examples;

import java.util.List;

/** How a run of {@link Heat} ended. */
public sealed interface HeatResult {

  /** What was done and what was asked. */
  HeatPlan plan();

  /**
   * All steps are done.
   *
   * @param plan what was asked
   * @param maximum the highest temperature
   * @param mean the mean temperature
   * @param checksum the CRC32C of the field's doubles, row by row
   * @param field the field, as large as a picture can show
   * @param snapshots what it looked like on the way, smaller
   */
  record Done(
      HeatPlan plan,
      double maximum,
      double mean,
      int checksum,
      Raster field,
      List<Snapshot> snapshots)
      implements HeatResult {

    /** Copies the list. */
    public Done {
      snapshots = List.copyOf(snapshots);
    }
  }

  /**
   * It was asked to end early. All that was done is in the checkpoint.
   *
   * @param plan how far it came
   */
  record Stopped(HeatPlan plan) implements HeatResult {}

  /**
   * What the field looked like on the way.
   *
   * @param step after how many steps
   * @param raster the field, made small
   */
  record Snapshot(int step, Raster raster) {}
}
