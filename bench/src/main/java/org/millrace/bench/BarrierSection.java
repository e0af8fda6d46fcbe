package org.millrace.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Barriers of four processes on this machine, one after the other. No state. */
final class BarrierSection implements ProcessSection {

  private static final int RANKS = 4;
  private static final int BARRIERS = 2000;
  private static final double MOST_MICROSECONDS = 46;
  private static final double NANOS = 1000;

  @Override
  public String name() {
    return "barrier";
  }

  @Override
  public int steps(Setting setting) {
    return 1 + setting.sizes().rounds();
  }

  @Override
  public List<Row> run(Setting setting) throws IOException {
    ProcessSizes sizes = setting.sizes();
    String order = "barrier %d %d".formatted(BARRIERS, sizes.laps());
    List<Double> micros = new ArrayList<>();
    try (Team team =
        Team.of(setting.dir().toAbsolutePath(), RANKS, RANKS, 8L << 20, TeamSizes.TINY)) {
      for (int i = 0; i < sizes.warmUps(); i++) {
        team.ask(order); // until the code is quick
      }
      setting.progress().run();
      for (int round = 0; round < sizes.rounds(); round++) {
        team.askNumbers(order).forEach(nanos -> micros.add(nanos / NANOS));
        setting.progress().run();
      }
    }
    Series series = new Series(micros.stream().mapToDouble(one -> one).toArray());
    Target target = Target.atMost(MOST_MICROSECONDS);
    return List.of(
        Row.of(name(), RANKS + " processes", series.median(), Unit.MICROSECONDS, target));
  }
}
