package org.millrace.sim.scale;

import java.util.List;
import org.millrace.plan.Strategy;

/** All curves of one task on one SVG picture that needs nothing else. Holds no state. */
final class Sheet {

  private static final int COLUMNS = 3;
  private static final int LEGEND = 50;
  private static final int ENTRY = 170;

  private Sheet() {}

  /** The picture of a task. */
  static String of(String task, List<ScaleOutcome> its) {
    List<String> panels =
        List.of(
            Curves.of("GB/s of all nodes", its, ScaleOutcome::gigabytesPerSecond),
            Curves.of("MB/s of each node", its, ScaleOutcome::megabytesPerSecondOfNode),
            Curves.ofShare("CPU of the nodes left, %", its, one -> Math.max(0, 100 * one.free())),
            Curves.of(
                "messages for each node", its, one -> (double) one.messages() / one.what().nodes()),
            Curves.of("memory of a node, KiB", its, one -> one.nodeBytes() / 1024.0),
            Curves.of("memory of a rank, KiB", its, one -> one.rankBytes() / 1024.0));
    int width = COLUMNS * Curves.WIDTH;
    int height = Math.ceilDiv(panels.size(), COLUMNS) * Curves.HEIGHT;
    StringBuilder svg = new StringBuilder();
    svg.append(
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\""
                + " aria-label=\"%s\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#333\">\n")
            .formatted(width, height + LEGEND, width, task));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    for (int i = 0; i < panels.size(); i++) {
      svg.append(
          "<g transform=\"translate(%d %d)\">\n%s</g>\n"
              .formatted(i % COLUMNS * Curves.WIDTH, i / COLUMNS * Curves.HEIGHT, panels.get(i)));
    }
    legend(svg, height + 16);
    svg.append("<text x=\"64\" y=\"%d\">%s</text>\n".formatted(height + 40, task));
    return svg.append("</svg>\n").toString();
  }

  private static void legend(StringBuilder svg, int y) {
    int x = 64;
    for (Strategy strategy : Trial.strategies()) {
      svg.append(
          "<rect x=\"%d\" y=\"%d\" width=\"16\" height=\"4\" fill=\"%s\"/>\n"
              .formatted(x, y - 6, Curves.color(strategy)));
      svg.append("<text x=\"%d\" y=\"%d\">%s</text>\n".formatted(x + 22, y, strategy.word()));
      x += ENTRY;
    }
  }
}
