package org.millrace.sim.scale;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.millrace.plan.Strategy;

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

  /**
   * Where each strategy stops scaling: the first number of nodes at which a node has less than half
   * of the throughput that it had at best on fewer, and what the run waits for there.
   */
  public static String stops(List<ScaleOutcome> outcomes) {
    StringBuilder text =
        new StringBuilder("stops scaling (a node moves less than half of its best)\n");
    text.append(
        "task           strategy           at nodes  waits for                busiest, %\n");
    for (String task : ScaleStudy.tasks(outcomes)) {
      for (Strategy strategy : Trial.strategies()) {
        List<ScaleOutcome> its =
            ScaleStudy.of(task, outcomes).stream()
                .filter(one -> one.what().strategy() == strategy)
                .toList();
        Optional<ScaleOutcome> stop = stop(its);
        text.append(
            String.format(
                Locale.ROOT,
                "%-14s %-18s %9s  %s%n",
                task,
                strategy.word(),
                stop.map(one -> Integer.toString(one.what().nodes())).orElse("-"),
                stop.map(ScaleTables::why).orElse("")));
      }
    }
    return text.append('\n').toString();
  }

  /** The first of the outcomes of one strategy, by ascending nodes, that is much below its best. */
  static Optional<ScaleOutcome> stop(List<ScaleOutcome> its) {
    double best = 0;
    for (ScaleOutcome one : its) {
      if (one.megabytesPerSecondOfNode() < best / 2) {
        return Optional.of(one);
      }
      best = Math.max(best, one.megabytesPerSecondOfNode());
    }
    return Optional.empty();
  }

  private static String heading() {
    return "strategy            nodes         ms      GB/s  MB/s/node  of disks, %  CPU free, %    messages"
        + "  net, MB  node, KiB  rank, KiB  waits for                busiest, %";
  }

  private static String line(ScaleOutcome one) {
    return String.format(
        Locale.ROOT,
        "%-18s %6d %10.3f %9.2f %10.1f %12.0f %12.1f %11d %8.0f %10d %10d  %s",
        one.what().strategy().word(),
        one.what().nodes(),
        one.seconds() * 1e3,
        one.gigabytesPerSecond(),
        one.megabytesPerSecondOfNode(),
        100 * one.shareOfDisks(),
        100 * one.free(),
        one.messages(),
        one.networkBytes() / 1e6,
        one.nodeBytes() >> 10,
        one.rankBytes() >> 10,
        why(one));
  }

  private static String why(ScaleOutcome one) {
    return String.format(
        Locale.ROOT,
        "%-23s  %s %.0f",
        one.limit(),
        one.busiest().getKey().words(),
        100 * one.busiest().getValue());
  }
}
