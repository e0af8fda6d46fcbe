package org.millrace.cli.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.grid.GridOptions;
import org.millrace.bench.grid.GridRow;
import org.millrace.bench.grid.StrategyGrid;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.measure.Row;
import org.millrace.bench.report.GridJson;
import org.millrace.bench.report.GridPage;
import org.millrace.bench.report.GridTable;
import org.millrace.bench.report.TextTable;
import org.millrace.cli.terminal.ByteCount;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.cli.terminal.ReportFiles;
import org.millrace.env.Env;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What {@code bench passion} and {@code bench patterns} have in common. Used by one thread. */
abstract class GridCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--ranks",
      paramLabel = "P",
      split = ",",
      description = "How many ranks, one run for each (default: 4,16).")
  private List<Integer> ranks = List.of(4, 16);

  @Option(
      names = "--only",
      paramLabel = "NAME",
      description = "Only workloads with NAME in their names. May be repeated.")
  private List<String> only = List.of();

  @Option(names = "--quick", description = "Fewer laps, for a first look.")
  private boolean quick;

  @Option(
      names = "--cold",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true", // without it, --cold would be the opposite of the default
      description =
          "Also read what is not cached, which needs root on Linux; --no-cold leaves that out"
              + " (default: --cold).")
  private boolean cold = true;

  @Option(
      names = "--unit",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description = "Stripe unit of the cluster's file (default: the cluster's).")
  private long unitBytes;

  @Option(
      names = "--block",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description = "Block size of the cluster's file (default: the cluster's).")
  private long blockBytes;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Folder on the disk to measure (default: ${DEFAULT-VALUE}); emptied again.")
  private Path dir = Path.of(".millrace");

  @Mixin private ReportFiles files;

  /** Which workloads. */
  abstract GridOptions.Suite suite();

  /** Sizes of the file, one run for each; 0 for the usual one. */
  List<Long> sizes() {
    return List.of(0L);
  }

  @Override
  public Integer call() throws IOException {
    Env env = Env.real();
    List<StrategyGrid> grids = sizes().stream().map(bytes -> grid(env, bytes)).toList();
    files.check();
    PrintWriter out = spec.commandLine().getOut();
    Machine machine = Machine.here(env);
    out.println(GridTable.heading());
    List<GridRow> rows = new java.util.ArrayList<>();
    List<Row> cold = new java.util.ArrayList<>();
    for (StrategyGrid grid : grids) {
      StrategyGrid.Result one = grid.run(new Printer(env, out, spec.commandLine().getErr()));
      rows.addAll(one.rows());
      cold.addAll(one.cold());
    }
    StrategyGrid.Result result = new StrategyGrid.Result(rows, cold);
    out.println(GridTable.summary(result));
    files.write(
        () -> GridJson.of(machine, result),
        () -> GridPage.of("millrace bench " + suite().word(), machine, result));
    return ExitCode.OK;
  }

  private StrategyGrid grid(Env env, long bytes) {
    try {
      GridOptions options =
          new GridOptions(
              suite(),
              dir,
              quick,
              ranks,
              only,
              bytes,
              !!cold,
              unitBytes,
              Math.toIntExact(blockBytes));
      return new StrategyGrid(env, options);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /** {@code millrace bench passion}. */
  @Command(
      name = "passion",
      description = {
        "Sections of a 4096 x 4096 array as PASSION's papers measure them, by every strategy.",
        "Times are milliseconds of one collective call of all ranks. limit: a hand-written gather"
            + " from a mapped file with two threads. calls: one FileChannel call for each piece."
            + " a/limit: the speed of auto relative to the limit. Checks every byte."
      })
  static final class Passion extends GridCommand {

    @Override
    GridOptions.Suite suite() {
      return GridOptions.Suite.PASSION;
    }
  }

  /** {@code millrace bench patterns}. */
  @Command(
      name = "patterns",
      description = {
        "Kotz's 36 access patterns: nine distributions of a matrix of 8-byte and of 8-KiB"
            + " elements, read and written, by every strategy.",
        "Columns as in bench passion. The file has 10 MiB, as in the paper; --large adds 1 GiB."
      })
  static final class Patterns extends GridCommand {

    @Option(
        names = "--size",
        paramLabel = "BYTES",
        converter = ByteCount.class,
        description = "Size of the file, with k, m or g for binary units (default: 10m).")
    private @Nullable Long size;

    @Option(names = "--large", description = "Measure a file of 1 GiB, too. Needs 8 GiB of memory.")
    private boolean large;

    @Override
    GridOptions.Suite suite() {
      return GridOptions.Suite.PATTERNS;
    }

    @Override
    List<Long> sizes() {
      long first = size == null ? 0 : size;
      return large ? List.of(first, 1L << 30) : List.of(first);
    }
  }

  /** {@code millrace bench ior-hard}. */
  @Command(
      name = "ior-hard",
      description = {
        "IOR's hard pattern, 200 segments of 47,008 bytes for each rank, in one collective call,"
            + " by every strategy.",
        "Columns as in bench passion. (bench ior makes one call per transfer, as IOR does.)"
      })
  static final class IorHard extends GridCommand {

    @Override
    GridOptions.Suite suite() {
      return GridOptions.Suite.IOR_HARD;
    }
  }

  /** A bar while a part runs, each row when it is there. Called by one thread at a time. */
  private static final class Printer implements StrategyGrid.Listener {

    private final Env env;
    private final PrintWriter out;
    private final PrintWriter err;
    private @Nullable ProgressBar bar;
    private int left;

    Printer(Env env, PrintWriter out, PrintWriter err) {
      this.env = env;
      this.out = out;
      this.err = err;
    }

    @Override
    public void begins(String what, int steps) {
      left = steps;
      bar = new ProgressBar(err, env, ProgressBar.terminalColumns(), what, steps);
      bar.advance(0);
    }

    @Override
    public void stepped() {
      if (bar != null) {
        bar.advance(1);
        left--;
        if (left == 0) {
          bar.close();
        }
      }
    }

    @Override
    public void row(GridRow row) {
      print(GridTable.line(row));
    }

    @Override
    public void row(Row row) {
      print(TextTable.line(row));
    }

    private void print(String line) {
      if (bar != null) {
        bar.wipe();
      }
      out.println(line);
    }
  }
}
