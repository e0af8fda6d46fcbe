package org.millrace.bench.report;

import java.util.ArrayList;
import java.util.List;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.measure.Shown;
import org.millrace.bench.measure.Unit;
import org.millrace.bench.papers.DioBenchmark;
import org.millrace.bench.papers.DioCurve;
import org.millrace.output.Axis;
import org.millrace.output.Chart;
import org.millrace.output.Json;
import org.millrace.output.Page;
import org.millrace.output.Svg;

/** The curves of {@link DioBenchmark} as JSON and as a page. No state. */
public final class DioReport {

  private static final int WIDTH = 520;
  private static final int HEIGHT = 300;

  private DioReport() {}

  /** One object with the machine and all points; rates are bytes in a second. */
  public static String json(Machine machine, List<DioCurve> curves) {
    List<Object> points = new ArrayList<>();
    for (DioCurve curve : curves) {
      for (DioCurve.Line line : curve.lines()) {
        line.rates().forEach((bytes, rate) -> points.add(point(curve, line, bytes, rate)));
      }
    }
    return Json.of(Json.object("machine", machine, "points", points)) + "\n";
  }

  private static Object point(DioCurve curve, DioCurve.Line line, int bytes, double rate) {
    return Json.object(
        "medium",
        curve.medium(),
        "op",
        curve.write() ? "write" : "read",
        "order",
        curve.random() ? "random" : "sequential",
        "way",
        line.way(),
        "bytes",
        bytes,
        "bytesPerSecond",
        Json.rounded(rate, 0));
  }

  /** The page: a chart for each curve, and the tables. */
  public static String page(Machine machine, List<DioCurve> curves) {
    Page page =
        new Page("millrace bench dio")
            .paragraph(
                machine.words()
                    + ". Rates of one rank that waits for each dio_read or dio_write, against the"
                    + " size of its requests: local is a node in its own process, the others are"
                    + " in another one.");
    for (DioCurve curve : curves) {
      page.figure("", chart(curve));
    }
    for (DioCurve curve : curves) {
      page.text(curve.table());
    }
    return page.html();
  }

  private static Svg chart(DioCurve curve) {
    double most =
        curve.lines().stream()
            .flatMap(line -> line.rates().values().stream())
            .mapToDouble(Double::doubleValue)
            .max()
            .orElse(1);
    List<Integer> sizes = curve.sizes();
    Axis across =
        Axis.powers("bytes of a request", sizes.getFirst(), sizes.getLast(), 4)
            .withText(bytes -> Shown.bytes((long) bytes));
    Axis up = Axis.upTo("", most).withText(Unit.BYTES_PER_SECOND::format);
    Chart chart = new Chart(curve.title(), across, up, WIDTH, HEIGHT);
    for (int i = 0; i < curve.lines().size(); i++) {
      chart.add(series(i, curve.lines().get(i)));
    }
    return chart.drawWithLegend();
  }

  private static Chart.Series series(int number, DioCurve.Line line) {
    List<Chart.Point> points = new ArrayList<>();
    line.rates()
        .forEach(
            (bytes, rate) ->
                points.add(
                    new Chart.Point(
                        bytes,
                        rate,
                        Shown.bytes(bytes) + ": " + Unit.BYTES_PER_SECOND.format(rate))));
    return new Chart.Series(line.way(), number, Chart.Mark.CURVE, points);
  }
}
