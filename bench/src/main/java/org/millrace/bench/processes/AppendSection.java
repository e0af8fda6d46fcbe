package org.millrace.bench.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.millrace.bench.grid.TeamSizes;
import org.millrace.bench.measure.Launch;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.bench.peers.Peer;

/**
 * Records of 1 KiB that four processes append by a shared pointer, beside {@code
 * MPI_File_write_shared} of each peer. All take turns. No state.
 */
final class AppendSection implements ProcessSection {

  private static final int RANKS = 4;
  private static final int BYTES = 1024;
  private static final long SILENCE_NANOS = 60_000_000_000L;
  private static final double ROMIO_TARGET = 2;
  private static final double OMPIO_TARGET = 1;
  private static final Pattern LAP = Pattern.compile("append lap (\\d+)");
  private static final Pattern FAILED = Pattern.compile("append failed (.*)");

  @Override
  public String name() {
    return "append";
  }

  @Override
  public int steps(Setting setting) {
    return 1 + setting.sizes().rounds() * 4;
  }

  @Override
  public List<Row> run(Setting setting) throws IOException {
    ProcessSizes sizes = setting.sizes();
    Path folder = setting.dir().toAbsolutePath();
    long cache = Math.max(8L << 20, 5L * BYTES * RANKS * sizes.appends());
    String order = "append %s %s %s".formatted(sizes.appends(), BYTES, sizes.laps());
    List<Double> ours = new ArrayList<>();
    Map<String, List<Double>> theirs = new LinkedHashMap<>();
    Map<String, String> failures = new LinkedHashMap<>();
    try (Team team = Team.of(folder, RANKS, RANKS, cache, TeamSizes.TINY)) {
      List<Peer> peers = peers(setting, folder);
      for (int i = 0; i < sizes.warmUps(); i++) {
        team.ask(order); // until the code is quick
      }
      setting.progress().run();
      for (int round = 0; round < sizes.rounds(); round++) {
        ours.addAll(team.askNumbers(order));
        setting.progress().run();
        for (Peer peer : peers) {
          run(setting, folder, peer, theirs, failures);
          setting.progress().run();
        }
      }
    }
    return rows(sizes, ours, theirs, failures);
  }

  private static List<Peer> peers(Setting setting, Path folder) throws IOException {
    if (setting.mpi().isEmpty()) {
      return List.of();
    }
    Path programs = Files.createDirectories(folder.resolve("programs"));
    return setting.mpi().get().peers(setting.env(), programs, "append", List.of());
  }

  private static void run(
      Setting setting,
      Path folder,
      Peer peer,
      Map<String, List<Double>> theirs,
      Map<String, String> failures)
      throws IOException {
    ProcessSizes sizes = setting.sizes();
    List<String> words =
        List.of(
            "data=" + folder.resolve("data-" + peer.name()),
            "records=" + sizes.appends(),
            "bytes=" + BYTES,
            "laps=" + sizes.laps());
    List<Double> laps = theirs.computeIfAbsent(peer.name(), _ -> new ArrayList<>());
    Launch launch = new Launch(setting.env(), folder.resolve("launcher.err"), SILENCE_NANOS);
    Launch.End end =
        launch.run(
            peer.command(RANKS, words),
            line -> {
              Matcher lap = LAP.matcher(line.strip());
              Matcher failed = FAILED.matcher(line.strip());
              if (lap.matches()) {
                laps.add(Double.valueOf(lap.group(1)));
              } else if (failed.matches()) {
                failures.put(peer.name(), failed.group(1));
              }
            });
    if (end.status() != 0) {
      failures.putIfAbsent(peer.name(), "ended with " + end.status() + ": " + launch.errors());
    }
  }

  private List<Row> rows(
      ProcessSizes sizes,
      List<Double> ours,
      Map<String, List<Double>> theirs,
      Map<String, String> failures) {
    double perLap = 1e9 * RANKS * sizes.appends();
    double rate = perLap / median(ours);
    List<Row> rows = new ArrayList<>();
    String what = "1 KiB by 4 processes";
    theirs.forEach(
        (peer, laps) -> {
          boolean failed = failures.containsKey(peer) || laps.isEmpty();
          Target target = Target.ratio(peer.equals("ompio") ? OMPIO_TARGET : ROMIO_TARGET);
          if (failed) {
            String why = failures.getOrDefault(peer, "it printed nothing");
            rows.add(
                Row.of(name(), what, rate, Unit.PER_SECOND, Target.NONE)
                    .withNote(peer + ": " + why));
          } else {
            double limit = perLap / median(laps);
            rows.add(
                new Row(
                    name(),
                    what + ", beside " + peer,
                    OptionalDouble.of(rate),
                    Unit.PER_SECOND,
                    OptionalDouble.of(limit),
                    OptionalDouble.of(rate / limit),
                    target,
                    ""));
          }
        });
    if (theirs.isEmpty()) {
      rows.add(
          Row.of(name(), what, rate, Unit.PER_SECOND, Target.NONE)
              .withNote(ProcessesBenchmark.NO_MPI));
    }
    return rows;
  }

  private static double median(List<Double> laps) {
    return new Series(laps.stream().mapToDouble(Double::doubleValue).toArray()).median();
  }
}
