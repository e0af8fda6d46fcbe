package org.millrace.cli.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.grid.IorBenchmark;
import org.millrace.bench.grid.IorOptions;
import org.millrace.bench.grid.IorRow;
import org.millrace.bench.grid.StrategyGrid;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.report.GridTable;
import org.millrace.bench.report.IorReport;
import org.millrace.bench.report.IorTable;
import org.millrace.cli.terminal.ByteCount;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ProgressBar;
import org.millrace.cli.terminal.ReportFiles;
import org.millrace.env.Env;
import org.millrace.plan.Strategy;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace bench ior}: IOR's loop with IOR's options and columns. Used by one thread. */
@Command(
    name = "ior",
    description = {
      "Segments of blocks of transfers in a shared file, as IOR does it, with its options and"
          + " columns.",
      "Checks every byte; the time does not include that. Closing a written file makes it durable,"
          + " which is part of close(s) and bw. Then transfers the same bytes in one collective call"
          + " by every strategy, and compares with the limit of this machine, as bench passion does."
    })
final class IorCommand implements Callable<Integer> {

  private static final String HARD_BYTES = "47008";

  @Spec private CommandSpec spec;

  @Option(
      names = "-b",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description = "Contiguous bytes of a rank in one segment, with k, m, g (default: 1m).")
  private @Nullable Long block;

  @Option(
      names = "-t",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description = "Bytes of one call (default: 256k).")
  private @Nullable Long transfer;

  @Option(names = "-s", paramLabel = "N", description = "Number of segments (default: 1).")
  private @Nullable Integer segments;

  @Option(names = "-i", paramLabel = "N", description = "Repetitions (default: 1).")
  private int repetitions = 1;

  @Option(names = "-w", description = "Write (default: write and read).")
  private boolean write;

  @Option(names = "-r", description = "Read (default: write and read).")
  private boolean read;

  @Option(names = "-c", description = "Collective calls.")
  private boolean collective;

  @Option(names = "-F", description = "A file for each rank.")
  private boolean filePerProcess;

  @Option(names = "-z", description = "Transfers in random order.")
  private boolean random;

  @Option(names = "-C", description = "Each rank reads what its neighbour wrote.")
  private boolean reorder;

  @Option(names = "-e", description = "Writing ends with a flush to the disks, in wr/rd(s).")
  private boolean flush;

  @Option(
      names = "-W",
      description = "Each rank reads and checks its own bytes (default: rank 0 checks all).")
  private boolean checkWrite;

  @Option(names = "-R", description = "Check what was read; always done.")
  @SuppressWarnings("UnusedVariable") // IOR's users give it; there is nothing to switch on
  private boolean checkRead;

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      description =
          "easy: -F -C -t 2m -b 64m. hard: -C -t 47008 -b 47008 -s 1000. Other options override it.")
  private @Nullable String preset;

  @Option(
      names = "--strategy",
      paramLabel = "NAME",
      converter = StrategyName.class,
      description =
          "How collective calls are carried out: direct, sieved, two-phase, extended-two-phase,"
              + " disk-directed or auto (default: auto).")
  private Strategy strategy = Strategy.AUTO;

  @Option(names = "--ranks", paramLabel = "P", description = "Ranks (default: 4).")
  private int ranks = 4;

  @Option(names = "--no-yardsticks", description = "Skip the comparison of strategies.")
  private boolean noYardsticks;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Folder on the disk to measure (default: ${DEFAULT-VALUE}); emptied again.")
  private Path dir = Path.of(".millrace");

  @Mixin private ReportFiles files;

  /** Reads the name of a strategy. */
  static final class StrategyName implements ITypeConverter<Strategy> {

    @Override
    public Strategy convert(String text) {
      try {
        return Strategy.parse(text);
      } catch (IllegalArgumentException e) {
        throw new picocli.CommandLine.TypeConversionException(e.getMessage());
      }
    }
  }

  @Override
  public Integer call() throws IOException {
    Env env = Env.real();
    IorOptions options = options();
    IorBenchmark benchmark = new IorBenchmark(env, options);
    files.check();
    Machine machine = Machine.here(env);
    PrintWriter out = spec.commandLine().getOut();
    out.println(IorTable.heading());
    List<IorRow> rows;
    try (ProgressBar bar =
        new ProgressBar(
            spec.commandLine().getErr(),
            env,
            ProgressBar.terminalColumns(),
            "ior",
            benchmark.steps())) {
      bar.advance(0);
      rows =
          benchmark.run(
              row -> {
                bar.wipe();
                out.println(IorTable.line(options, row));
                bar.advance(1);
              });
    }
    out.println();
    out.println(IorTable.summary(rows));
    StrategyGrid.Result grid = new StrategyGrid.Result(List.of(), List.of());
    if (!noYardsticks) {
      out.println();
      out.println(GridTable.heading());
      grid = benchmark.yardsticks(row -> out.println(GridTable.line(row)));
    }
    StrategyGrid.Result all = grid;
    files.write(
        () -> IorReport.json(machine, options, rows, all),
        () -> IorReport.html(machine, options, rows, all));
    return ExitCode.OK;
  }

  private IorOptions options() {
    boolean easy = "easy".equals(preset);
    boolean hard = "hard".equals(preset);
    if (preset != null && !easy && !hard) {
      throw new ParameterException(
          spec.commandLine(), "there is no preset " + preset + ", but easy and hard");
    }
    String usualBlock = easy ? "64m" : hard ? HARD_BYTES : "1m";
    String usualTransfer = easy ? "2m" : hard ? HARD_BYTES : "256k";
    ByteCount bytes = new ByteCount();
    try {
      return new IorOptions(
          dir,
          ranks,
          block != null ? block : bytes.convert(usualBlock),
          transfer != null ? transfer : bytes.convert(usualTransfer),
          segments != null ? segments : hard ? 1000 : 1,
          repetitions,
          write || !read,
          read || !write,
          collective,
          filePerProcess || easy,
          random,
          reorder || easy || hard,
          flush,
          checkWrite,
          strategy);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
