package org.millrace.bench.grid;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.measure.Sizes;
import org.millrace.env.Env;

/**
 * Workloads by strategies: every strategy of Millrace on every pattern of a suite, beside what the
 * machine itself does, all in one run. Every byte is checked; being slow is no failure.
 *
 * <p>Immutable. Run one at a time: two would measure each other.
 */
public final class StrategyGrid {

  private static final int HARD_SEGMENTS = 200;

  /** Told how far a run has come. Called by any thread, one at a time. */
  public interface Listener {

    /** A part begins, which will report that many steps. */
    void begins(String what, int steps);

    /** A step of it is done. */
    void stepped();

    /** A row is there. */
    void row(GridRow row);

    /** A row of cold reading is there. */
    void row(Row row);
  }

  /**
   * All that came out. Immutable.
   *
   * @param rows all methods on all workloads, warm
   * @param cold reading what nobody has in memory, against a sequential read of the same bytes
   */
  public record Result(List<GridRow> rows, List<Row> cold) {

    /** Keeps copies of the lists. */
    public Result {
      rows = List.copyOf(rows);
      cold = List.copyOf(cold);
    }

    /** The share of rows on which the automatic choice was about as fast as the best strategy. */
    public double choosesWell() {
      return rows.isEmpty()
          ? 1
          : (double) rows.stream().filter(GridRow::choosesWell).count() / rows.size();
    }

    /** The share of rows on which auto took a strategy that was about as fast as the best. */
    public double takesWell() {
      return rows.isEmpty()
          ? 1
          : (double) rows.stream().filter(GridRow::takesWell).count() / rows.size();
    }

    /** The share of rows that reach the target. */
    public double reachesTarget() {
      return rows.isEmpty()
          ? 1
          : (double) rows.stream().filter(GridRow::reachesTarget).count() / rows.size();
    }
  }

  private final Env env;
  private final GridOptions options;
  private final GridSizes sizes;

  /** A grid with the given options; {@code env} has the clock. */
  public StrategyGrid(Env env, GridOptions options) {
    this(env, options, options.quick() ? GridSizes.QUICK : GridSizes.FULL);
  }

  StrategyGrid(Env env, GridOptions options, GridSizes sizes) {
    this.env = env;
    this.options = options;
    GridSizes laid = sizes.withLayout(options.unitBytes(), options.blockBytes());
    this.sizes = options.fileBytes() == 0 ? laid : laid.withPatternBytes(options.fileBytes());
    for (int ranks : options.ranks()) {
      if (chosen(ranks).isEmpty()) {
        throw new IllegalArgumentException(
            "no workload is called like "
                + options.only()
                + "; there are "
                + String.join("; ", all(ranks).stream().map(Workload::name).toList()));
      }
    }
  }

  private List<Workload> all(int ranks) {
    return switch (options.suite()) {
      case PASSION -> Workloads.passion(ranks, sizes.extent());
      case PATTERNS -> Workloads.patterns(ranks, sizes.patternBytes());
      case IOR_HARD -> Workloads.iorHard(ranks, HARD_SEGMENTS);
    };
  }

  private List<Workload> chosen(int ranks) {
    return all(ranks).stream()
        .filter(
            one ->
                options.only().isEmpty()
                    || options.only().stream()
                        .anyMatch(part -> lower(one.name()).contains(lower(part))))
        .toList();
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  /** Runs all of it. */
  public Result run(Listener listener) throws IOException {
    List<GridRow> rows = new ArrayList<>();
    List<Row> cold = new ArrayList<>();
    try (Scratch scratch = new Scratch(options.folder())) {
      for (int ranks : options.ranks()) {
        List<Workload> workloads = chosen(ranks);
        String label = options.suite().word() + ", " + ranks + " ranks";
        Bench bench = bench(scratch, "warm-" + ranks, listener);
        listener.begins(label, workloads.size());
        rows.addAll(new WarmGrid(bench, sizes, workloads).run(listener::row));
        Scratch.remove(bench.dir());
        List<Workload> whole = workloads.stream().filter(ColdReads::isWhole).toList();
        if (options.cold() && !whole.isEmpty()) {
          Bench other = bench(scratch, "cold-" + ranks, listener);
          listener.begins(label + ", cold", whole.size());
          cold.addAll(new ColdReads(other, sizes, whole).run(listener::row));
          Scratch.remove(other.dir());
        }
      }
    }
    return new Result(rows, cold);
  }

  private Bench bench(Scratch scratch, String name, Listener listener) throws IOException {
    return new Bench(env, scratch.folder(name), Sizes.QUICK, listener::stepped);
  }
}
