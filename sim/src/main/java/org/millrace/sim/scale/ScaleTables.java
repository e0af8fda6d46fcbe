package org.millrace.sim.scale;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.millrace.output.Table;
import org.millrace.plan.Strategy;

/** Outcomes as text. */
public final class ScaleTables {

  private ScaleTables() {}

  /** A table for each task. */
  public static String of(List<ScaleOutcome> outcomes) {
    StringBuilder text = new StringBuilder();
    for (String task : ScaleStudy.tasks(outcomes)) {
      Table table =
          new Table(
              "strategy",
              ">nodes",
              ">ms",
              ">GB/s",
              ">MB/s/node",
              ">of disks, %",
              ">CPU free, %",
              ">messages",
              ">net, MB",
              ">node, KiB",
              ">rank, KiB",
              "waits for",
              "busiest, %");
      ScaleStudy.of(task, outcomes).forEach(one -> addRow(table, one));
      text.append(task).append('\n').append(table.text());
      text.append('\n');
    }
    return text.toString();
  }

  /**
   * Where each strategy stops scaling: the first number of nodes at which a node has less than half
   * of the throughput that it had at best on fewer, and what the run waits for there.
   */
  public static String stops(List<ScaleOutcome> outcomes) {
    Table table = new Table("task", "strategy", ">at nodes", "waits for", "busiest, %");
    for (String task : ScaleStudy.tasks(outcomes)) {
      for (Strategy strategy : Trial.strategies()) {
        List<ScaleOutcome> its =
            ScaleStudy.of(task, outcomes).stream()
                .filter(one -> one.what().strategy() == strategy)
                .toList();
        Optional<ScaleOutcome> stop = stop(its);
        table.row(
            task,
            strategy.word(),
            stop.map(one -> Integer.toString(one.what().nodes())).orElse("-"),
            stop.map(ScaleOutcome::limit).orElse(""),
            stop.map(ScaleTables::busiest).orElse(""));
      }
    }
    return "stops scaling (a node moves less than half of its best)\n"
        + table.text()
        + '\n'
        + leftOut(outcomes);
  }

  /** Which strategies were not run on all numbers of nodes, and why; nothing if all were. */
  static String leftOut(List<ScaleOutcome> outcomes) {
    StringBuilder text = new StringBuilder();
    for (String task : ScaleStudy.tasks(outcomes)) {
      List<ScaleOutcome> its = ScaleStudy.of(task, outcomes);
      for (ScaleOutcome last : its) {
        boolean isLast =
            its.stream()
                .filter(one -> one.what().strategy() == last.what().strategy())
                .noneMatch(one -> one.what().nodes() > last.what().nodes());
        if (isLast && last.shareOfDisks() < ScaleStudy.HOPELESS) {
          text.append(
              String.format(
                  Locale.ROOT,
                  "%s by %s: not run above %s nodes, it was at %.0f %% of the disks' speed there%n",
                  task,
                  last.what().strategy().word(),
                  last.what().nodes(),
                  100 * last.shareOfDisks()));
        }
      }
    }
    return text.toString();
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

  private static void addRow(Table table, ScaleOutcome one) {
    table.row(
        one.what().strategy().word(),
        one.what().nodes(),
        number(one.seconds() * 1e3, 3),
        number(one.gigabytesPerSecond(), 2),
        number(one.megabytesPerSecondOfNode(), 1),
        number(100 * one.shareOfDisks(), 0),
        number(100 * one.free(), 1),
        one.messages(),
        number(one.networkBytes() / 1e6, 0),
        one.nodeBytes() >> 10,
        one.rankBytes() >> 10,
        one.limit(),
        busiest(one));
  }

  private static String busiest(ScaleOutcome one) {
    return one.busiest().getKey().words() + ' ' + number(100 * one.busiest().getValue(), 0);
  }

  private static String number(double number, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", number);
  }
}
