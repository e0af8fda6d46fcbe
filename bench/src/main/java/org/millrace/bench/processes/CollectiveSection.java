package org.millrace.bench.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.millrace.bench.grid.Cell;
import org.millrace.bench.grid.StrategyTimes;
import org.millrace.bench.grid.Workload;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.bench.peers.Peer;
import org.millrace.bench.peers.PeerCase;
import org.millrace.bench.peers.PeerRunner;
import org.millrace.bench.peers.PeerTimes;
import org.millrace.env.Env;
import org.millrace.plan.Strategy;

/**
 * Collective calls of rank processes that are nodes, too, beside those of as many processes of each
 * peer and those of as many threads of one JVM: the same workloads, bytes and state. All take
 * turns. No state.
 */
final class CollectiveSection implements ProcessSection {

  /** How many times as quick as the best peer, where pieces are scattered and where not. */
  private static final double SCATTERED_TARGET = 2;

  private static final double CONTIGUOUS_TARGET = 1;

  /** The share of the speed of the same call in one JVM. */
  private static final double THREADS_TARGET = 0.6;

  /** The first call of new processes may take so many times as long as a warm one. */
  private static final double MAX_FIRST = 3;

  /** A turn that is less than this quicker than the one before is warm. */
  private static final double STEADY = 0.1;

  /** Compilers that take less of one processor do not disturb. */
  private static final double MAX_COMPILING = 0.1;

  /** No more turns to warm up begin after this. */
  private static final long MAX_WARM_NANOS = 60_000_000_000L;

  /** The share of rows in which auto should be about as quick as the best strategy. */
  private static final double AUTO_TARGET = 0.95;

  /**
   * A method that was slower than the best by more than this in the first round will not be the
   * best.
   */
  private static final double MARGIN = 1.5;

  /** Every kind of pattern once: small calls, sections, blocks, pieces of 8 and of 128 bytes. */
  private static final List<String> USUAL =
      List.of(
          "common III",
          "overlap (1:100, 1+10p:100+10p)",
          "overlap (1+100p:1000+100p, 1+100p:1000+100p)",
          "row-block",
          "column-block",
          "block-block",
          "row-cyclic",
          "row-cyclic by 16",
          "column-cyclic",
          "cyclic-cyclic",
          "strided 2:2",
          "ior hard");

  private static final List<String> FEW =
      List.of("row-block", "column-block", "row-cyclic by 16", "cyclic-cyclic");

  @Override
  public String name() {
    return "collective";
  }

  @Override
  public int steps(Setting setting) {
    int steps = 0;
    for (int ranks : setting.options().ranks()) {
      steps += (1 + setting.sizes().rounds()) * turns(setting, ranks).size();
    }
    return steps;
  }

  private static double median(List<Double> laps) {
    return Cell.of("ours", Cell.How.MEASURED, laps).nanos();
  }

  /** How far the laps lie from each other. */
  static String spread(List<Double> laps) {
    double least = laps.stream().mapToDouble(Double::doubleValue).min().orElse(0);
    double most = laps.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    return String.format(Locale.ROOT, "%.2f to %.2f", least / 1e6, most / 1e6);
  }

  /** A workload in one direction. */
  private record Turn(int number, boolean write, Workload workload) {}

  private static List<Turn> turns(Setting setting, int ranks) {
    List<Workload> all = setting.sizes().team().workloads(ranks);
    List<Turn> turns = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      Workload one = all.get(i);
      if (isChosen(setting, one)) {
        turns.add(new Turn(i, false, one));
        if (one.ops() == Workload.Ops.READ_AND_WRITE) {
          turns.add(new Turn(i, true, one));
        }
      }
    }
    return turns;
  }

  private static boolean isChosen(Setting setting, Workload workload) {
    String name = (workload.suite() + " " + workload.name()).toLowerCase(Locale.ROOT);
    List<String> wanted = setting.options().workloads();
    if (wanted.isEmpty() && setting.options().everyWorkload()) {
      return true;
    }
    if (wanted.isEmpty()) {
      boolean full = setting.options().size() == ProcessesOptions.Size.FULL;
      return (full ? USUAL : FEW)
          .stream()
              .anyMatch(one -> one.equals(workload.name().replaceFirst("(common [IV]+) .*", "$1")));
    }
    return wanted.stream().anyMatch(part -> name.contains(part.toLowerCase(Locale.ROOT)));
  }

  @Override
  public List<Row> run(Setting setting) throws IOException {
    List<Row> rows = new ArrayList<>();
    Path folder = setting.dir().toAbsolutePath();
    List<Peer> peers = List.of();
    if (setting.mpi().isPresent()) {
      Path programs = Files.createDirectories(folder.resolve("programs"));
      peers = setting.mpi().get().peers(setting.env(), programs, List.of());
    }
    for (int ranks : setting.options().ranks()) {
      Path own = Files.createDirectories(folder.resolve("ranks-" + ranks));
      rows.addAll(new Comparison(setting, ranks, peers, own).run());
      Scratch.remove(own);
    }
    return rows;
  }

  /** All rounds with one number of ranks. Used by one thread. */
  private final class Comparison {

    private final Setting setting;
    private final ProcessSizes sizes;
    private final int ranks;
    private final List<Peer> peers;
    private final Path folder;
    private final List<Turn> turns;
    private final List<Workload> workloads;
    private final Map<Turn, List<Double>> ours = new LinkedHashMap<>();
    private final Map<Turn, List<Double>> threads = new LinkedHashMap<>();
    private final Map<Turn, Map<String, PeerTimes>> theirs = new LinkedHashMap<>();
    private final Map<Turn, StrategyTimes> byStrategy = new LinkedHashMap<>();
    private double first;

    Comparison(Setting setting, int ranks, List<Peer> peers, Path folder) {
      this.setting = setting;
      this.sizes = setting.sizes();
      this.ranks = ranks;
      this.peers = peers;
      this.folder = folder;
      this.turns = turns(setting, ranks);
      this.workloads = sizes.team().workloads(ranks);
    }

    List<Row> run() throws IOException {
      long bytes = workloads.stream().mapToLong(Workload::fileBytes).max().orElseThrow();
      int asked = setting.options().nodes();
      int nodes = asked == 0 ? ranks : Math.min(asked, ranks);
      long cache = Math.max(8L << 20, bytes * 5 / nodes);
      PeerRunner runner = new PeerRunner(setting.env(), folder, bytes, false);
      try (Team team = Team.of(folder, ranks, nodes, cache, sizes.team());
          Team oneJvm = Team.ofThreads(folder, ranks, nodes, cache, sizes.team())) {
        if (!turns.isEmpty()) {
          first = team.askNumbers(order(turns.getFirst(), Strategy.AUTO, 0, 0)).getFirst();
        }
        for (Turn turn : turns) {
          for (Strategy strategy : sizes.warmUps() > 0 ? strategies(turn) : List.<Strategy>of()) {
            warm(team, turn, strategy);
          }
          if (sizes.warmUps() > 0) {
            warm(oneJvm, turn, Strategy.AUTO);
          }
          setting.progress().run();
        }
        for (int round = 0; round < sizes.rounds(); round++) {
          for (Turn turn : turns) {
            for (Strategy strategy : inOrder(strategies(turn), round)) {
              add(turn, strategy, ask(team, turn, strategy));
            }
            threads
                .computeIfAbsent(turn, _ -> new ArrayList<>())
                .addAll(ask(oneJvm, turn, Strategy.AUTO));
            setting.progress().run();
          }
          for (Peer peer : peers) {
            runner.run(peer, ranks, workloads, cases(peer), () -> {}).forEach(this::add);
          }
        }
        for (Map.Entry<Turn, StrategyTimes> one :
            byStrategy.entrySet()) { // after all that is timed
          Turn turn = one.getKey();
          String order = "taken %s %s".formatted(turn.number, turn.write ? "write" : "read");
          one.getValue().take(team.ask(order));
        }
      }
      List<Row> rows = new ArrayList<>();
      if (!turns.isEmpty()) {
        rows.add(firstRow());
      }
      turns.forEach(turn -> rows.add(row(turn)));
      rows.add(threadsRow());
      if (!byStrategy.isEmpty()) {
        rows.add(autoRow());
      }
      return rows;
    }

    /** What is tried of a turn: auto, and if that is asked for all others. */
    private List<Strategy> strategies(Turn turn) {
      List<Strategy> all = new ArrayList<>(List.of(Strategy.AUTO));
      if (setting.options().strategies()) {
        all.addAll(StrategyTimes.tried(turn.workload));
      }
      return all;
    }

    /** Who is first comes after other calls, and finds other bytes in the processor's caches. */
    private static List<Strategy> inOrder(List<Strategy> strategies, int round) {
      return round % 2 == 0 ? strategies : strategies.reversed();
    }

    private void add(Turn turn, Strategy strategy, List<Double> laps) {
      if (strategy == Strategy.AUTO) {
        ours.computeIfAbsent(turn, _ -> new ArrayList<>()).addAll(laps);
      } else {
        byStrategy.computeIfAbsent(turn, _ -> new StrategyTimes()).add(strategy, laps);
      }
    }

    /** In how many rows processes come near to one JVM. */
    private Row threadsRow() {
      long close = turns.stream().filter(turn -> ofThreads(turn) >= THREADS_TARGET).count();
      return Row.of(
              name(),
              String.format(
                  Locale.ROOT, "at least %.1f of one JVM, %s ranks", THREADS_TARGET, ranks),
              (double) close / Math.max(1, turns.size()),
              Unit.SHARE,
              Target.atLeast(1))
          .withNote("%s rows".formatted(turns.size()));
    }

    /** The speed as a share of that of one JVM. */
    private double ofThreads(Turn turn) {
      return median(threads.getOrDefault(turn, List.of()))
          / median(ours.getOrDefault(turn, List.of()));
    }

    /** In how many rows auto takes about as long as the best strategy. */
    private Row autoRow() {
      long close =
          byStrategy.entrySet().stream()
              .filter(
                  one -> one.getValue().isClose(median(ours.getOrDefault(one.getKey(), List.of()))))
              .count();
      return Row.of(
              name(),
              "auto is about as quick as the best, %s ranks".formatted(ranks),
              (double) close / byStrategy.size(),
              Unit.SHARE,
              Target.atLeast(AUTO_TARGET))
          .withNote(
              "within 10 %% or 100 us, %s rows; the strategy that it took, forced, is in %s"
                  .formatted(
                      byStrategy.size(),
                      byStrategy.values().stream().filter(StrategyTimes::isTakenWell).count()));
    }

    /**
     * Repeats a turn until it takes as long as the time before and the compilers are idle: then the
     * code is quick. Many processes on few processors need many turns, since each of them compiles
     * for itself.
     */
    private void warm(Team team, Turn turn, Strategy strategy) throws IOException {
      Env env = setting.env();
      double before = Double.POSITIVE_INFINITY;
      long compiled = team.compiledMillis();
      long deadline = env.deadlineAfter(MAX_WARM_NANOS);
      while (env.nanoTime() < deadline) {
        long start = env.nanoTime();
        double now = median(ask(team, turn, strategy));
        long compiledNow = team.compiledMillis();
        double share = (compiledNow - compiled) * 1e6 / (env.nanoTime() - start);
        if (now > (1 - STEADY) * before && share < MAX_COMPILING) {
          return;
        }
        before = now;
        compiled = compiledNow;
      }
    }

    private List<Double> ask(Team team, Turn turn, Strategy strategy) throws IOException {
      return team.askNumbers(order(turn, strategy, sizes.collectiveLaps(), sizes.budgetMillis()));
    }

    private String order(Turn turn, Strategy strategy, int laps, long millis) {
      return "collective %s %s %s %s %s"
          .formatted(turn.number, turn.write ? "write" : "read", laps, millis, strategy.word());
    }

    /** What the first call of new processes took, beside the same call when they are warm. */
    private Row firstRow() {
      Turn turn = turns.getFirst();
      double warm = median(ours.getOrDefault(turn, List.of()));
      return new Row(
          name(),
          "first call of new processes (%s), %s ranks".formatted(turn.workload.name(), ranks),
          OptionalDouble.of(first / 1e3),
          Unit.MICROSECONDS,
          OptionalDouble.of(warm / 1e3),
          OptionalDouble.of(first / warm),
          Target.ratioAtMost(MAX_FIRST),
          "the limit is the same call when warm");
    }

    /** What a peer does next: everything, later what it may be best at. */
    private List<PeerCase> cases(Peer peer) {
      List<PeerCase> cases = new ArrayList<>();
      for (Turn turn : turns) {
        Map<String, PeerTimes> known = theirs.getOrDefault(turn, Map.of());
        double best = best(turn).map(Cell::nanos).orElse(Double.POSITIVE_INFINITY);
        PeerCase one =
            new PeerCase(
                turn.number,
                turn.write,
                true,
                sizes.collectiveLaps(),
                sizes.budgetMillis(),
                sizes.limitMillis());
        PeerTimes last = known.get(PeerRunner.method(peer, one));
        if (last == null || last.mayWin(best, MARGIN)) {
          cases.add(one);
        }
      }
      return cases;
    }

    private void add(PeerCase one, PeerTimes times) {
      for (Turn turn : turns) {
        if (turn.number == one.workload() && turn.write == one.write()) {
          theirs
              .computeIfAbsent(turn, _ -> new LinkedHashMap<>())
              .merge(times.method(), times, PeerTimes::and);
        }
      }
    }

    /** The fastest peer; if all were cut off, the one that was first. */
    private Optional<Cell> best(Turn turn) {
      return theirs.getOrDefault(turn, Map.of()).values().stream()
          .flatMap(times -> times.cell().stream())
          .min(
              Comparator.comparing((Cell cell) -> !cell.isMeasured())
                  .thenComparingDouble(Cell::nanos));
    }

    private Row row(Turn turn) {
      double nanos = median(ours.getOrDefault(turn, List.of()));
      double bytes = turn.workload.size() * 1e9;
      String what =
          "%s, %s, %s ranks".formatted(turn.workload.name(), turn.write ? "write" : "read", ranks);
      String own =
          String.format(
              Locale.ROOT, "%.2f ms, %s", nanos / 1e6, spread(ours.getOrDefault(turn, List.of())));
      own +=
          String.format(
              Locale.ROOT,
              "; one JVM %.2f: %.2f of it",
              median(threads.getOrDefault(turn, List.of())) / 1e6,
              ofThreads(turn));
      if (byStrategy.containsKey(turn)) {
        own += "; " + byStrategy.get(turn);
      }
      Optional<Cell> best = best(turn);
      if (best.isEmpty()) {
        String why = peers.isEmpty() ? ProcessesBenchmark.NO_MPI : "no peer could";
        return Row.of(name(), what, bytes / nanos, Unit.BYTES_PER_SECOND, Target.NONE)
            .withNote(own + "; " + why);
      }
      Cell peer = best.get();
      String note =
          String.format(
              Locale.ROOT,
              "%s; %s %s%.2f",
              own,
              peer.method().replace(", collective", ""),
              peer.isMeasured() ? "" : ">",
              peer.nanos() / 1e6);
      return new Row(
          name(),
          what,
          OptionalDouble.of(bytes / nanos),
          Unit.BYTES_PER_SECOND,
          OptionalDouble.of(bytes / peer.nanos()),
          OptionalDouble.of(peer.nanos() / nanos),
          Target.ratio(turn.workload.scattered() ? SCATTERED_TARGET : CONTIGUOUS_TARGET),
          note);
    }
  }
}
