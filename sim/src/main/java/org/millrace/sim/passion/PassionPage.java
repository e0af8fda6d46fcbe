package org.millrace.sim.passion;

import java.util.List;
import org.millrace.output.Axis;
import org.millrace.output.Bars;
import org.millrace.output.Page;
import org.millrace.output.Paint;
import org.millrace.output.Svg;

/** Outcomes as one page, and its two drawings. Holds no state. */
public final class PassionPage {

  private static final int LEFT = 220;
  private static final int WIDTH = 460;
  private static final int RIGHT = 180;

  private PassionPage() {}

  /** The page. */
  public static String of(long seed, List<Outcome> outcomes) {
    return new Page("millrace sim passion")
        .paragraph(
            "Sections and distributions of an array in one file, read on a model of the Intel"
                + " Touchstone Delta in simulated time. Grey bars are the paper's seconds. Seed "
                + seed
                + ".")
        .figure("", table1(outcomes))
        .figure("", figure2(outcomes))
        .text(PassionTables.of(outcomes))
        .html();
  }

  /** Table 1 as a drawing. */
  public static Svg table1(List<Outcome> outcomes) {
    return bars(
        "Table 1: common sections",
        outcomes.stream().filter(one -> one.workload() instanceof Workload.Common).toList());
  }

  /** Figure 2 as a drawing. */
  public static Svg figure2(List<Outcome> outcomes) {
    return bars(
        "Figure 2: distributions of a whole array",
        outcomes.stream().filter(one -> one.workload() instanceof Workload.Distributed).toList());
  }

  /** Seconds on a logarithmic scale, one group for each workload, the paper's beside ours. */
  private static Svg bars(String title, List<Outcome> outcomes) {
    double least = outcomes.stream().mapToDouble(Outcome::seconds).min().orElse(1);
    double most =
        outcomes.stream()
            .mapToDouble(one -> Math.max(one.seconds(), one.workload().paper(one.method())))
            .max()
            .orElse(1);
    Axis seconds = Axis.decades("", least, most);
    Bars bars =
        new Bars(seconds.withText(tick -> seconds.text().apply(tick) + " s"), LEFT, WIDTH, RIGHT);
    bars.group(title);
    for (Workload workload : PassionTables.workloads(outcomes)) {
      bars.group(workload.name());
      for (Method method : Method.values()) {
        PassionTables.find(outcomes, workload, method).ifPresent(one -> bars(bars, one));
      }
    }
    return bars.draw();
  }

  private static void bars(Bars bars, Outcome one) {
    int colour =
        switch (one.method()) {
          case DIRECT -> 1;
          case TWO_PHASE -> 0;
          case EXTENDED -> 2;
          case BUFFERED -> 6;
        };
    String words = PassionTables.mark(one) + PassionTables.number(one.seconds()) + " s";
    bars.bar(one.method().words(), words, new Bars.Part(one.seconds(), Paint.fill(colour)));
    double paper = one.workload().paper(one.method());
    if (paper > 0) {
      bars.bar(
          one.method().words() + ", paper",
          PassionTables.number(paper) + " s",
          new Bars.Part(paper, Paint.PLAIN));
    }
  }
}
