package org.millrace.bench.peers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.millrace.bench.grid.Cell;
import org.millrace.bench.grid.ColdReads;
import org.millrace.bench.grid.GridRow;
import org.millrace.bench.grid.WarmGrid;
import org.millrace.bench.grid.Workload;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.DroppedPages;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.measure.Sizes;
import org.millrace.env.Env;
import org.millrace.plan.Strategy;

/**
 * Millrace against MPI-IO: the same ranks, workloads, bytes and cache state, in one run, on one
 * machine. Everybody has a turn in each round, so that what slows the machine down for a while
 * slows all. Every byte is checked; being slow is no failure.
 *
 * <p>In the first round all peers do everything, both ways. Later rounds leave out those that were
 * far behind or cut off: what is asked is the best.
 *
 * <p>Immutable. Run one at a time: two would measure each other.
 */
public final class PeersBenchmark {

  /**
   * A method that was slower than the best by more than this in the first round will not be the
   * best.
   */
  private static final double MARGIN = 1.5;

  /** A method that takes so many times as long as the best so far is cut off. */
  private static final double FAR = 4;

  /** But starting it again takes time, too. */
  private static final double MIN_LIMIT_MILLIS = 300;

  /** Told how far a run has come. Called by any thread, one at a time. */
  public interface Listener {

    /** A part begins, which will report at most that many steps. */
    void begins(String what, int steps);

    /** A step of it is done. */
    void stepped();

    /** A row is there. */
    void row(PeerRow row);
  }

  /**
   * All that came out. Immutable.
   *
   * @param cold whether the page cache was dropped before each lap
   * @param libraries the peers, as they call themselves
   * @param notes what peers could not do
   * @param rows all workloads
   */
  public record Result(
      boolean cold, List<String> libraries, List<String> notes, List<PeerRow> rows) {

    /** Keeps copies of the lists. */
    public Result {
      libraries = List.copyOf(libraries);
      notes = List.copyOf(notes);
      rows = List.copyOf(rows);
    }
  }

  private final Env env;
  private final PeersOptions options;
  private final PeerSizes sizes;

  /** A comparison with the given options; {@code env} has the clock. */
  public PeersBenchmark(Env env, PeersOptions options) {
    this(env, options, options.quick() ? PeerSizes.QUICK : PeerSizes.FULL);
  }

  PeersBenchmark(Env env, PeersOptions options, PeerSizes sizes) {
    this.env = env;
    this.options = options;
    this.sizes = sizes;
    for (int ranks : options.ranks()) {
      if (workloads(ranks).isEmpty()) {
        throw new IllegalArgumentException("no suite or workload is called like " + options.only());
      }
    }
  }

  private List<Workload> workloads(int ranks) {
    List<Workload> all = new ArrayList<>(sizes.workloads(ranks));
    all.removeIf(one -> !isChosen(one) || (options.cold() && !ColdReads.isWhole(one)));
    return all;
  }

  private boolean isChosen(Workload workload) {
    String name = (workload.suite() + " " + workload.name()).toLowerCase(Locale.ROOT);
    return options.only().isEmpty()
        || options.only().stream().anyMatch(part -> name.contains(part.toLowerCase(Locale.ROOT)));
  }

  /** Runs all of it; throws, and says how to install them, if the peers are not there. */
  public Result run(Listener listener) throws IOException {
    MpiTools tools = MpiTools.find(MpiTools.path());
    if (options.cold() && sizes.grid().dropsPageCache() && !DroppedPages.canDrop()) {
      throw new IOException("the page cache cannot be dropped here: --cold needs root on Linux");
    }
    Set<String> libraries = new LinkedHashSet<>();
    List<String> notes = new ArrayList<>();
    List<PeerRow> rows = new ArrayList<>();
    try (Scratch scratch = new Scratch(options.folder())) {
      Path absolute = scratch.folder("programs").toAbsolutePath();
      List<Peer> peers = tools.peers(env, absolute, options.hints());
      for (int ranks : options.ranks()) {
        Path folder = scratch.folder("ranks-" + ranks).toAbsolutePath();
        Comparison comparison = new Comparison(workloads(ranks), ranks, peers, folder, listener);
        comparison.run();
        comparison.rows().forEach(listener::row);
        libraries.addAll(comparison.libraries);
        notes.addAll(comparison.notes());
        rows.addAll(comparison.rows());
        Scratch.remove(folder);
      }
    }
    return new Result(options.cold(), List.copyOf(libraries), notes, rows);
  }

  /** All rounds with one number of ranks. Used by one thread. */
  private final class Comparison {

    private final List<Workload> workloads;
    private final int ranks;
    private final List<Peer> peers;
    private final Path folder;
    private final Listener listener;
    private final Set<String> libraries = new LinkedHashSet<>();

    /** Millrace and the yardsticks, by workload and direction. */
    private final Map<Turn, GridRow> ours = new LinkedHashMap<>();

    private final Map<Turn, Map<String, PeerTimes>> theirs = new LinkedHashMap<>();

    /** A workload in one direction. */
    private record Turn(int workload, boolean write) {}

    Comparison(
        List<Workload> workloads, int ranks, List<Peer> peers, Path folder, Listener listener) {
      this.workloads = workloads;
      this.ranks = ranks;
      this.peers = peers;
      this.folder = folder;
      this.listener = listener;
    }

    void run() throws IOException {
      long bytes = workloads.stream().mapToLong(Workload::fileBytes).max().orElseThrow();
      PeerRunner runner =
          new PeerRunner(env, folder, bytes, options.cold() && sizes.grid().dropsPageCache());
      for (int round = 0; round < sizes.rounds(); round++) {
        String label = "%s ranks, round %s".formatted(ranks, round + 1);
        listener.begins(label, workloads.size() + peers.size() * cases(peers.getFirst()).size());
        runMillrace(round);
        for (Peer peer : peers) {
          runner.run(peer, ranks, workloads, cases(peer), listener::stepped).forEach(this::add);
          libraries.add(peer.name() + ": " + runner.library());
        }
      }
    }

    private void runMillrace(int round) throws IOException {
      Path home = folder.resolve("millrace-" + round);
      Bench bench =
          new Bench(env, java.nio.file.Files.createDirectory(home), Sizes.QUICK, listener::stepped);
      List<GridRow> rows =
          options.cold()
              ? PeerRows.cold(bench, sizes.grid(), workloads)
              : new WarmGrid(bench, sizes.grid(), workloads, List.of(Strategy.AUTO)).run(row -> {});
      Scratch.remove(home);
      List<Turn> turns = turns();
      for (int i = 0; i < turns.size(); i++) {
        ours.merge(turns.get(i), rows.get(i), PeerRows::join);
      }
    }

    /** In the order in which a grid has its rows. */
    private List<Turn> turns() {
      List<Turn> turns = new ArrayList<>();
      for (int i = 0; i < workloads.size(); i++) {
        turns.add(new Turn(i, false));
        if (!options.cold() && workloads.get(i).ops() == Workload.Ops.READ_AND_WRITE) {
          turns.add(new Turn(i, true));
        }
      }
      return turns;
    }

    /** What a peer does next: everything, later what it may be best at. */
    private List<PeerCase> cases(Peer peer) {
      List<PeerCase> cases = new ArrayList<>();
      for (Turn turn : turns()) {
        Map<String, PeerTimes> known = theirs.getOrDefault(turn, Map.of());
        double best = best(known);
        for (boolean collective : new boolean[] {false, true}) {
          PeerCase one =
              new PeerCase(
                  turn.workload,
                  turn.write,
                  collective,
                  sizes.laps(),
                  sizes.budgetMillis(),
                  limitMillis(best));
          PeerTimes last = known.get(PeerRunner.method(peer, one));
          if (last == null || last.mayWin(best, MARGIN)) {
            cases.add(one);
          }
        }
      }
      return cases;
    }

    /** There is no need to know how much slower than the best the others are. */
    private long limitMillis(double bestNanos) {
      double far = Math.max(MIN_LIMIT_MILLIS, bestNanos / 1e6 * FAR);
      return far < (double) sizes.limitMillis() ? (long) far : sizes.limitMillis();
    }

    private static double best(Map<String, PeerTimes> known) {
      return known.values().stream()
          .flatMap(times -> times.cell().stream())
          .filter(Cell::isMeasured)
          .mapToDouble(Cell::nanos)
          .min()
          .orElse(Double.POSITIVE_INFINITY);
    }

    private void add(PeerCase one, PeerTimes times) {
      theirs
          .computeIfAbsent(new Turn(one.workload(), one.write()), turn -> new LinkedHashMap<>())
          .merge(times.method(), times, PeerTimes::and);
    }

    List<PeerRow> rows() {
      List<PeerRow> rows = new ArrayList<>();
      ours.forEach(
          (turn, grid) -> {
            List<Cell> cells = new ArrayList<>(grid.cells());
            theirs.getOrDefault(turn, Map.of()).values().stream()
                .flatMap(times -> times.cell().stream())
                .forEach(cells::add);
            rows.add(new PeerRow(PeerRows.with(grid, cells)));
          });
      return rows;
    }

    List<String> notes() {
      List<String> notes = new ArrayList<>();
      theirs.forEach(
          (turn, all) -> {
            for (PeerTimes times : all.values()) {
              if (!times.failure().isEmpty()) {
                String what = workloads.get(turn.workload).name() + (turn.write ? ", write" : "");
                notes.add(
                    "%s, %s ranks: %s: %s".formatted(what, ranks, times.method(), times.failure()));
              }
            }
          });
      return notes;
    }
  }
}
