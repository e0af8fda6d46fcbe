package org.millrace.cli.trace;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.millrace.cli.terminal.Shown;
import org.millrace.output.Table;

/** A run in numbers: by plan, and by rank. Stateless. */
final class TraceTables {

  private static final double NANOS = 1e9;

  private TraceTables() {}

  /** Transfers that were carried out in the same way. */
  record Way(String strategy, String call, String plan) {}

  /** How often, how much, how long. */
  private static final class Sum {
    private long count;
    private double bytes;
    private double nanos;
    private double longest;

    void add(Stretch one) {
      count++;
      bytes += (double) one.bytes();
      nanos += (double) one.nanos();
      longest = Math.max(longest, (double) one.nanos());
    }
  }

  /** What was planned, beside what it took: a row for each strategy and plan. */
  static Table ways(Recorded run) {
    Map<Way, Sum> sums = new LinkedHashMap<>();
    for (Stretch one : run.all()) {
      if (one.phase() == Stretch.Phase.TRANSFER) {
        Way way = new Way(one.strategy(), one.call(), one.plan());
        sums.computeIfAbsent(way, _ -> new Sum()).add(one);
      }
    }
    Table table =
        new Table(
            "strategy",
            "transfer",
            "plan",
            ">ranks' parts",
            ">bytes",
            ">mean",
            ">longest",
            ">bytes/s of a rank");
    sums.forEach(
        (way, sum) ->
            table.row(
                way.strategy,
                way.call,
                way.plan.isEmpty() ? "-" : way.plan,
                sum.count,
                Shown.bytes(sum.bytes),
                Shown.nanos(sum.nanos / (double) sum.count),
                Shown.nanos(sum.longest),
                sum.nanos > 0 ? Shown.bytes(sum.bytes / (sum.nanos / NANOS)) : "-"));
    return table;
  }

  /** Where the time of each rank went. */
  static Table ranks(Recorded run) {
    Map<Stretch.Lane, Map<Stretch.Phase, Sum>> sums = new TreeMap<>();
    for (Stretch one : run.all()) {
      sums.computeIfAbsent(one.lane(), _ -> new TreeMap<>())
          .computeIfAbsent(one.phase(), _ -> new Sum())
          .add(one);
    }
    double all = (double) (run.to() - run.from());
    Map<Long, Integer> groups = run.groups();
    Table table =
        new Table(
            ">group",
            ">rank",
            ">collective calls",
            ">in them",
            ">waiting",
            ">transferring",
            ">bytes");
    sums.forEach(
        (lane, of) -> {
          Sum calls = of.getOrDefault(Stretch.Phase.COLLECTIVE, new Sum());
          Sum waits = of.getOrDefault(Stretch.Phase.MEETING, new Sum());
          Sum moves = of.getOrDefault(Stretch.Phase.TRANSFER, new Sum());
          table.row(
              groups.getOrDefault(lane.group(), 0),
              lane.rank(),
              calls.count,
              Shown.percent(calls.nanos, all),
              Shown.percent(waits.nanos, all),
              Shown.percent(moves.nanos, all),
              Shown.bytes(moves.bytes));
        });
    return table;
  }
}
