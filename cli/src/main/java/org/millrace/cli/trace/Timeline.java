package org.millrace.cli.trace;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.millrace.cli.terminal.Shown;
import org.millrace.output.Axis;
import org.millrace.output.Paint;
import org.millrace.output.Svg;
import org.millrace.output.Svg.Anchor;

/**
 * The picture of a run: a row for each rank, time to the right, a colour for each phase. What is
 * narrower than the finest line is drawn once for all that falls on it. Used by one thread.
 */
final class Timeline {

  private static final double LETTER = 7;
  private static final double WIDE = 1100;
  private static final double ROW = 22;
  private static final double TOP = 34;
  private static final double LEGEND = 20;
  private static final double FINEST = 0.5;

  /** Colours of transfers, by strategy; waits and the rest of a call have their own. */
  private static final Map<String, Integer> STRATEGIES =
      Map.of(
          "two-phase", 0,
          "extended-two-phase", 4,
          "disk-directed", 2,
          "direct", 5,
          "sieved", 6,
          "independent", 7);

  private static final int WAIT = 3;
  private static final int CALL = 1;

  // constant after construction
  private final Recorded run;
  private final long from;
  private final long to;
  private final Map<Stretch.Lane, String> names = new LinkedHashMap<>();
  private final double left;

  Timeline(Recorded run, long from, long to) {
    this.run = run;
    this.from = from;
    this.to = Math.max(to, from + 1);
    Map<Long, Integer> groups = run.groups();
    for (Stretch.Lane lane : run.lanes()) {
      String group = groups.size() > 1 ? "group " + groups.get(lane.group()) + ", " : "";
      names.put(lane, group + "rank " + lane.rank());
    }
    left = 14 + LETTER * names.values().stream().mapToInt(String::length).max().orElse(0);
  }

  Svg drawn() {
    Map<Stretch.Lane, Integer> rows = new HashMap<>();
    names.keySet().forEach(lane -> rows.put(lane, rows.size()));
    double bottom = TOP + rows.size() * ROW;
    Svg svg = new Svg(left + WIDE + 10, bottom + 26);
    legend(svg);
    axis(svg, bottom);
    names.forEach(
        (lane, name) -> {
          double y = TOP + rows.getOrDefault(lane, 0) * ROW;
          svg.text(left - 8, y + 15, Anchor.END, Paint.TEXT, name);
          svg.line(left, y + ROW, left + WIDE, y + ROW, Paint.RULE);
        });
    Map<Stretch.Phase, Map<Stretch.Lane, Double>> drawn = new EnumMap<>(Stretch.Phase.class);
    for (Stretch.Phase phase : Stretch.Phase.values()) {
      Map<Stretch.Lane, Double> ends = drawn.computeIfAbsent(phase, _ -> new HashMap<>());
      for (Stretch one : run.all()) {
        if (one.phase() == phase) {
          shape(svg, one, TOP + rows.getOrDefault(one.lane(), 0) * ROW, ends);
        }
      }
    }
    return svg;
  }

  private double x(long when) {
    double share = (double) (Math.clamp(when, from, to) - from) / (double) (to - from);
    return left + share * WIDE;
  }

  private void shape(Svg svg, Stretch one, double y, Map<Stretch.Lane, Double> ends) {
    double begin = x(one.from());
    double end = Math.max(x(one.to()), begin + FINEST);
    if (end <= ends.getOrDefault(one.lane(), 0.0)) {
      return; // it would lie on what was drawn for the one before
    }
    ends.put(one.lane(), end);
    double inset = one.phase() == Stretch.Phase.COLLECTIVE ? 2 : 5;
    svg.rect(begin, y + inset, end - begin, ROW - 2 * inset, paint(one), words(one));
  }

  private static Paint paint(Stretch one) {
    return switch (one.phase()) {
      case COLLECTIVE -> Paint.fill(CALL).pale();
      case MEETING -> Paint.fill(WAIT);
      case TRANSFER -> Paint.fill(STRATEGIES.getOrDefault(one.strategy(), CALL));
    };
  }

  private static String words(Stretch one) {
    List<String> words = new ArrayList<>();
    words.add("rank %s: %s".formatted(one.lane().rank(), kind(one)));
    words.add(Shown.nanos((double) one.nanos()));
    if (one.bytes() > 0) {
      words.add(Shown.bytes((double) one.bytes()));
    }
    if (!one.file().isEmpty()) {
      words.add(one.file());
    }
    if (!one.plan().isEmpty()) {
      words.add(one.plan());
    }
    return String.join(", ", words);
  }

  private static String kind(Stretch one) {
    return switch (one.phase()) {
      case COLLECTIVE -> one.call();
      case MEETING -> "waits for others in " + one.call();
      case TRANSFER -> one.strategy() + " " + one.call();
    };
  }

  /** Only what the picture has. */
  private void legend(Svg svg) {
    Map<String, Paint> phases = new LinkedHashMap<>();
    for (Stretch one : run.all()) {
      String name =
          switch (one.phase()) {
            case COLLECTIVE -> "collective call";
            case MEETING -> "waits for other ranks";
            case TRANSFER -> one.strategy();
          };
      phases.putIfAbsent(name, paint(one));
    }
    double x = left;
    for (Map.Entry<String, Paint> one : phases.entrySet()) {
      svg.rect(x, LEGEND - 12, 12, 12, one.getValue());
      svg.text(x + 18, LEGEND - 2, Anchor.START, Paint.SOFT, one.getKey());
      x += 18 + one.getKey().length() * LETTER + 22;
    }
  }

  /** Lines at round times. */
  private void axis(Svg svg, double bottom) {
    double all = (double) (to - from);
    for (double tick : Axis.upTo("", all).ticks()) {
      if (tick <= all) {
        double x = left + WIDE * tick / all;
        svg.line(x, TOP, x, bottom + 4, Paint.RULE);
        Anchor anchor =
            tick == 0 ? Anchor.START : x > left + WIDE - 20 ? Anchor.END : Anchor.MIDDLE;
        svg.text(x, bottom + 20, anchor, Paint.SOFT, tick == 0 ? "0" : Shown.nanos(tick));
      }
    }
  }
}
