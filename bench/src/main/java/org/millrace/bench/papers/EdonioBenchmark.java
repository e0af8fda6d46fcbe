package org.millrace.bench.papers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.millrace.bench.measure.DroppedPages;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.processes.ProcessesOptions;
import org.millrace.heritage.fem.Elements;
import org.millrace.heritage.fem.Phases;

/**
 * Tables 5.1 to 5.5 of EDONIO's report: the finite-element program with several sizes of the disk
 * cache, with and without preload, and with several numbers of ranks on three grids; through
 * EDONIO, through PFS, and on a plain file. Every rank has the report's share of the disk cache:
 * nodes have as much as the ranks together. All ways take turns, and the best lap of each counts;
 * what is read is checked.
 *
 * <p>Immutable. Run one at a time: two would measure each other.
 */
public final class EdonioBenchmark {

  /** Told how far a run has come. */
  public interface Listener {

    /** A table begins, which will report that many steps. */
    void begins(String table, int steps);

    /** A step of it is done. */
    void stepped();

    /** It has ended. */
    void ended(EdonioTable table);
  }

  /** One row to be measured. */
  private record Case(String label, int ranks, long kilobytesPerRank, boolean preload) {}

  /** One table to be measured. */
  private record Plan(
      String name, String title, String key, Elements grid, int laps, List<Case> cases) {}

  private static final int LAPS = 2;
  private static final int MAX_NODES = 16;
  private static final long DEFAULT_KILOBYTES = 4096;
  private static final Phases NOTHING = new Phases(0, 0, 0, 0, 0, 0, 0);

  /** The report's grids: only on these do its numbers stand beside ours. */
  private static final Map<String, Elements> GRIDS =
      Map.of(
          "5.1", Elements.cube(200),
          "5.2", new Elements(121, 121, 91),
          "5.3", Elements.cube(100),
          "5.4", Elements.cube(200),
          "5.5", Elements.cube(300));

  private static final List<String> NAMES = List.of("5.1", "5.2", "5.3", "5.4", "5.5");

  private final EdonioOptions options;

  /** A benchmark with the given options. */
  public EdonioBenchmark(EdonioOptions options) {
    this.options = options;
  }

  /** What can be asked for by name. */
  public static List<String> names() {
    return NAMES;
  }

  private List<Plan> plans() {
    return switch (options.size()) {
      case FULL ->
          List.of(
              caches(Elements.cube(200), 22, 1024, 2048, 4096, 8192, 12288),
              preload(new Elements(121, 121, 91), 16, 3),
              ranks("5.3", Elements.cube(100), 1, 2, 4, 8, 16, 32, 64),
              ranks("5.4", Elements.cube(200), 16, 32, 64, 128),
              ranks("5.5", Elements.cube(300), 32, 64, 128));
      case QUICK ->
          List.of(
              caches(Elements.cube(80), 22, 256, 1024),
              preload(Elements.cube(80), 16, LAPS),
              ranks("5.3", Elements.cube(100), 1, 4, 16),
              ranks("5.4", Elements.cube(120), 32),
              ranks("5.5", Elements.cube(150), 32));
      case TINY ->
          List.of(
              caches(Elements.cube(12), 3, 64, 128),
              preload(Elements.cube(12), 2, 1),
              ranks("5.3", Elements.cube(12), 1, 2),
              ranks("5.4", Elements.cube(14), 2),
              ranks("5.5", Elements.cube(16), 3));
    };
  }

  private static String about(Elements grid) {
    return String.format(
        Locale.ROOT,
        "%sx%sx%s elements, %,d bytes",
        grid.nex(),
        grid.ney(),
        grid.nez(),
        grid.fileBytes());
  }

  private static Plan caches(Elements grid, int ranks, int... kilobytes) {
    List<Case> cases =
        IntStream.of(kilobytes)
            .mapToObj(kb -> new Case(Integer.toString(kb), ranks, kb, true))
            .toList();
    String title = "size of the disk cache, %s ranks, %s".formatted(ranks, about(grid));
    return new Plan("5.1", title, "cache KB", grid, LAPS, cases);
  }

  private static Plan preload(Elements grid, int ranks, int laps) {
    List<Case> cases =
        List.of(
            new Case("yes", ranks, DEFAULT_KILOBYTES, true),
            new Case("no", ranks, DEFAULT_KILOBYTES, false));
    return new Plan(
        "5.2", "preload, %s ranks, %s".formatted(ranks, about(grid)), "preload", grid, laps, cases);
  }

  private static Plan ranks(String name, Elements grid, int... ranks) {
    List<Case> cases =
        IntStream.of(ranks)
            .mapToObj(p -> new Case(Integer.toString(p), p, DEFAULT_KILOBYTES, true))
            .toList();
    return new Plan(name, about(grid), "ranks", grid, LAPS, cases);
  }

  /** Whether the system's page cache is dropped before files are read: on Linux, by root. */
  public static boolean dropsPages() {
    return DroppedPages.canDrop();
  }

  /** Measures one table after the other. */
  public List<EdonioTable> run(Listener listener) throws IOException {
    List<EdonioTable> tables = new ArrayList<>();
    try (Scratch scratch = new Scratch(options.folder())) {
      warmUp(scratch);
      for (Plan plan : plans()) {
        if (options.only().isEmpty() || options.only().contains(plan.name)) {
          listener.begins(plan.name, plan.cases.size() * plan.laps * FemWay.values().length);
          List<EdonioTable.Row> rows = new ArrayList<>();
          for (Case one : plan.cases) {
            rows.add(row(scratch, plan, one, listener));
          }
          EdonioTable table = new EdonioTable(plan.name, plan.title, plan.key, rows);
          listener.ended(table);
          tables.add(table);
        }
      }
    }
    return tables;
  }

  /** Lets the JVM see all code once, so that the first row is none worse than the others. */
  private void warmUp(Scratch scratch) throws IOException {
    int n = options.size() == ProcessesOptions.Size.TINY ? 4 : 64;
    Plan plan = ranks("warm-up", Elements.cube(n), 4);
    measure(scratch, plan, plan.cases.getFirst(), () -> {});
  }

  private static EdonioTable.Row row(Scratch scratch, Plan plan, Case one, Listener listener)
      throws IOException {
    Map<FemWay, Phases> measured = measure(scratch, plan, one, listener::stepped);
    Phases plain = measured.getOrDefault(FemWay.FILE_CHANNEL, NOTHING);
    List<EdonioTable.Line> lines = new ArrayList<>();
    measured.forEach((way, phases) -> lines.add(EdonioTable.Line.of(way.label(), phases, plain)));
    if (plan.grid.equals(GRIDS.get(plan.name))) {
      lines.addAll(EdonioPaper.lines(plan.name, one.label));
    }
    return new EdonioTable.Row(one.label, lines);
  }

  /** The best lap of each way; they take turns. */
  private static Map<FemWay, Phases> measure(Scratch scratch, Plan plan, Case one, Runnable stepped)
      throws IOException {
    int nodes = Math.min(one.ranks, MAX_NODES);
    long kilobytes = one.kilobytesPerRank * one.ranks / nodes;
    Map<FemWay, List<Phases>> laps = new EnumMap<>(FemWay.class);
    try (FemRun run = new FemRun(scratch.folder(plan.name + "-" + one.label), nodes, true)) {
      for (int lap = 0; lap < plan.laps; lap++) {
        for (FemWay way : FemWay.values()) {
          Phases phases = run.run(way, plan.grid, one.ranks, kilobytes, one.preload);
          laps.computeIfAbsent(way, _ -> new ArrayList<>()).add(phases);
          stepped.run();
        }
      }
    }
    Map<FemWay, Phases> best = new EnumMap<>(FemWay.class);
    laps.forEach(
        (way, all) ->
            best.put(way, Collections.min(all, Comparator.comparingDouble(Phases::total))));
    return best;
  }
}
