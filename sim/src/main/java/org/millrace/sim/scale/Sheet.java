package org.millrace.sim.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.millrace.output.Axis;
import org.millrace.output.Chart;
import org.millrace.output.Paint;
import org.millrace.output.Svg;
import org.millrace.plan.Strategy;

/**
 * All results of one task by number of nodes, with a curve for each strategy, in one picture. Holds
 * no state.
 */
final class Sheet {

  private static final int COLUMNS = 3;
  private static final int WIDTH = 430;
  private static final int HEIGHT = 290;
  private static final int HEAD = 58;
  private static final int LEFT = 68;

  /** Colours of the strategies, in their order. */
  private static final int[] COLOURS = {5, 3, 2, 4, 0};

  private Sheet() {}

  /** The picture of a task. */
  static Svg of(String task, List<ScaleOutcome> its) {
    List<Svg> panels =
        List.of(
            panel("GB/s of all nodes", its, ScaleOutcome::gigabytesPerSecond),
            panel("MB/s of each node", its, ScaleOutcome::megabytesPerSecondOfNode),
            panel(
                "CPU of the nodes left, %",
                its, one -> Math.max(0, 100 * one.free()), Axis.linear("", 100, 20)),
            panel(
                "messages for each node", its, one -> (double) one.messages() / one.what().nodes()),
            panel("memory of a node, KiB", its, one -> one.nodeBytes() / 1024.0),
            panel("memory of a rank, KiB", its, one -> one.rankBytes() / 1024.0));
    int height = Math.ceilDiv(panels.size(), COLUMNS) * HEIGHT;
    Svg svg = new Svg(COLUMNS * WIDTH, HEAD + height);
    svg.text(LEFT, 20, Svg.Anchor.START, Paint.BOLD, task);
    svg.place(LEFT, 28, Chart.legend(series(List.of(), one -> 0), COLUMNS * WIDTH - LEFT));
    for (int i = 0; i < panels.size(); i++) {
      svg.place(i % COLUMNS * WIDTH, HEAD + i / COLUMNS * HEIGHT, panels.get(i));
    }
    return svg;
  }

  /** A number that is positive. */
  private static Svg panel(
      String title, List<ScaleOutcome> its, ToDoubleFunction<ScaleOutcome> number) {
    double least = its.stream().mapToDouble(number).min().orElse(1);
    double most = its.stream().mapToDouble(number).max().orElse(1);
    return panel(title, its, number, Axis.decades("", least, most));
  }

  private static Svg panel(
      String title, List<ScaleOutcome> its, ToDoubleFunction<ScaleOutcome> number, Axis up) {
    int most = its.stream().mapToInt(one -> one.what().nodes()).max().orElse(1);
    Axis across = Axis.powers("nodes, and as many ranks", 1, Math.max(4, most), 4);
    Chart chart = new Chart(title, across, up, WIDTH, HEIGHT);
    series(its, number).forEach(chart::add);
    return chart.draw();
  }

  private static List<Chart.Series> series(
      List<ScaleOutcome> its, ToDoubleFunction<ScaleOutcome> number) {
    List<Chart.Series> all = new ArrayList<>();
    for (Strategy strategy : Trial.strategies()) {
      List<Chart.Point> points =
          its.stream()
              .filter(one -> one.what().strategy() == strategy)
              .map(
                  one ->
                      new Chart.Point(
                          one.what().nodes(), number.applyAsDouble(one), one.what().toString()))
              .toList();
      int colour = COLOURS[Trial.strategies().indexOf(strategy)];
      all.add(new Chart.Series(strategy.word(), colour, Chart.Mark.CURVE, points));
    }
    return all;
  }
}
