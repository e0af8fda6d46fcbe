package org.millrace.sim.scale;

import java.util.List;
import java.util.Locale;

/** Outcomes as text. */
public final class ScaleTables {

  private ScaleTables() {}

  /** A table for each task. */
  public static String of(List<ScaleOutcome> outcomes) {
    StringBuilder text = new StringBuilder();
    for (String task : ScaleStudy.tasks(outcomes)) {
      text.append(task).append('\n').append(heading()).append('\n');
      for (ScaleOutcome one : ScaleStudy.of(task, outcomes)) {
        text.append(line(one)).append('\n');
      }
      text.append('\n');
    }
    return text.toString();
  }

  /** What was not run, and why; empty if all was. */
  public static String leftOut(List<Case> cases) {
    StringBuilder text = new StringBuilder();
    for (Case one : cases) {
      text.append(
          String.format(
              Locale.ROOT,
              "left out: %s: %,d requests under way at the same time%n",
              one,
              ScaleStudy.atOnce(one)));
    }
    return text.toString();
  }

  private static String heading() {
    return "strategy            nodes         ms      GB/s  MB/s/node  CPU free, %    messages"
        + "  net, MB  node, KiB  rank, KiB  waits for           busiest, %";
  }

  private static String line(ScaleOutcome one) {
    return String.format(
        Locale.ROOT,
        "%-18s %6d %10.3f %9.2f %10.1f %12.1f %11d %8.0f %10d %10d  %-18s  %s %.0f",
        one.what().strategy().word(),
        one.what().nodes(),
        one.seconds() * 1e3,
        one.gigabytesPerSecond(),
        one.megabytesPerSecondOfNode(),
        100 * one.free(),
        one.messages(),
        one.networkBytes() / 1e6,
        one.nodeBytes() >> 10,
        one.rankBytes() >> 10,
        one.limit(),
        one.busiest().getKey().words(),
        100 * one.busiest().getValue());
  }
}
