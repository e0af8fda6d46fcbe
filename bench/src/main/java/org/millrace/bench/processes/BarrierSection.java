package org.millrace.bench.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.bench.grid.TeamSizes;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;

/** Barriers of processes on this machine, one after the other. No state. */
final class BarrierSection implements ProcessSection {

  private static final int RANKS_OF_TARGET = 4;
  private static final int BARRIERS = 2000;
  private static final double MAX_MICROSECONDS = 46;
  private static final double NANOS = 1000;

  @Override
  public String name() {
    return "barrier";
  }

  @Override
  public int steps(Setting setting) {
    return (1 + setting.sizes().rounds()) * setting.options().ranks().size();
  }

  @Override
  public List<Row> run(Setting setting) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (int ranks : setting.options().ranks()) {
      rows.add(row(setting, ranks));
    }
    return rows;
  }

  private Row row(Setting setting, int ranks) throws IOException {
    ProcessSizes sizes = setting.sizes();
    String order = "barrier %s %s".formatted(BARRIERS, sizes.laps());
    Path folder = Files.createDirectories(setting.dir().resolve("ranks-" + ranks));
    List<Double> micros = new ArrayList<>();
    try (Team team = Team.of(folder.toAbsolutePath(), ranks, ranks, 8L << 20, TeamSizes.TINY)) {
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
    Target target = ranks == RANKS_OF_TARGET ? Target.atMost(MAX_MICROSECONDS) : Target.NONE;
    return Row.of(name(), ranks + " processes", series.median(), Unit.MICROSECONDS, target);
  }
}
