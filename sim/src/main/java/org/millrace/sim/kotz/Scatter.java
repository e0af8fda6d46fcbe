package org.millrace.sim.kotz;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.millrace.output.Axis;
import org.millrace.output.Chart;
import org.millrace.output.Svg;

/**
 * Figures 2 and 3: free CPU against throughput, with a mark for each pattern and file system, and a
 * larger hollow mark for the paper's numbers. Holds no state.
 */
public final class Scatter {

  private static final int WIDTH = 640;
  private static final int HEIGHT = 440;

  private Scatter() {}

  /** Figure 2: an application that does not synchronize. */
  public static Svg figure2(List<Outcome> outcomes) {
    return draw(
        name(outcomes, 2) + ": no synchronization",
        outcomes,
        one -> 100 * one.free(),
        Paper.Numbers::free);
  }

  /** Figure 3: an application with barriers. */
  public static Svg figure3(List<Outcome> outcomes) {
    String interval =
        Hardware.all().stream()
            .filter(one -> one.name().equals(outcomes.getFirst().hardware()))
            .map(one -> millis((double) one.computing().intervalNanos()))
            .findFirst()
            .orElse("interval");
    return draw(
        name(outcomes, 3) + ": a barrier every " + interval,
        outcomes,
        one -> 100 * one.freeWithBarriers(),
        Paper.Numbers::barriers);
  }

  private static String name(List<Outcome> outcomes, int number) {
    return (Paper.hasMade(outcomes.getFirst()) ? "Figure " : "As figure ") + number;
  }

  private static String millis(double nanos) {
    return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6).replace(".0 ms", " ms");
  }

  private static Svg draw(
      String heading,
      List<Outcome> outcomes,
      ToDoubleFunction<Outcome> here,
      ToDoubleFunction<Paper.Numbers> paper) {
    double highest = outcomes.stream().mapToDouble(Outcome::megabytesPerSecond).max().orElse(1);
    Chart chart =
        new Chart(
            heading + ", " + outcomes.getFirst().hardware(),
            Axis.upTo("throughput of the I/O application, MB/s", highest * 1.05),
            Axis.linear("CPU for the computing application, %", 100, 20),
            WIDTH,
            HEIGHT);
    for (FileSystem system : FileSystem.values()) {
      List<Chart.Point> ours = new ArrayList<>();
      List<Chart.Point> papers = new ArrayList<>();
      for (Outcome one : outcomes.stream().filter(it -> it.system() == system).toList()) {
        String name = one.pattern().name();
        ours.add(point(name, system, one.megabytesPerSecond(), here.applyAsDouble(one)));
        Paper.of(one)
            .map(its -> point("paper, " + one.pattern().role(), system, its, paper))
            .ifPresent(papers::add);
      }
      boolean circle = system == FileSystem.TRADITIONAL;
      if (!papers.isEmpty()) {
        chart.add(
            new Chart.Series(
                system.words() + ", paper",
                circle ? 1 : 0,
                circle ? Chart.Mark.RING : Chart.Mark.FRAME,
                papers));
      }
      chart.add(
          new Chart.Series(
              system.words(), circle ? 1 : 0, circle ? Chart.Mark.DOT : Chart.Mark.SQUARE, ours));
    }
    return chart.drawWithLegend();
  }

  private static Chart.Point point(
      String name, FileSystem system, Paper.Numbers its, ToDoubleFunction<Paper.Numbers> paper) {
    return point(name, system, its.megabytes(), paper.applyAsDouble(its));
  }

  private static Chart.Point point(
      String name, FileSystem system, double megabytes, double percent) {
    return new Chart.Point(
        megabytes,
        percent,
        String.format(
            Locale.ROOT, "%s, %s: %.1f MB/s, %.1f %%", name, system.words(), megabytes, percent));
  }
}
