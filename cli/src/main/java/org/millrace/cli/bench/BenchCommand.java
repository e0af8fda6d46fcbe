package org.millrace.cli.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.measure.Row;
import org.millrace.bench.micro.MicroBenchmarks;
import org.millrace.bench.micro.MicroOptions;
import org.millrace.bench.report.HtmlReport;
import org.millrace.bench.report.JsonReport;
import org.millrace.bench.report.TextTable;
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

/** {@code millrace bench}: measurements, each a subcommand. Used by one thread. */
@Command(
    name = "bench",
    description = "Measure the speed of Millrace on this machine.",
    subcommands = {
      BenchCommand.Micro.class,
      BenchCommand.Tiny.class,
      BenchCommand.Overlap.class,
      GridCommand.Passion.class,
      GridCommand.Patterns.class,
      GridCommand.IorHard.class,
      IorCommand.class,
      PeersCommand.class,
      ProcessesCommand.class,
      CopyCommand.class,
      MountRateCommand.class,
      FilesCommand.class,
      DioCommand.class,
      ColumbusCommand.class,
      EdonioCommand.class,
      SharingCommand.class
    })
public final class BenchCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(),
        "bench needs the name of a benchmark: " + String.join(", ", spec.subcommands().keySet()));
  }

  /** The names that {@code --only} knows, for the help. */
  static final class Names implements Iterable<String> {

    @Override
    public java.util.Iterator<String> iterator() {
      return MicroBenchmarks.names().iterator();
    }
  }

  /** What the benchmarks of single operations have in common. */
  abstract static class Rows implements Callable<Integer> {

    @Spec private CommandSpec spec;

    @Option(names = "--quick", description = "Less of everything, for a first look.")
    private boolean quick;

    @Option(
        names = "--dir",
        paramLabel = "DIR",
        description =
            "Folder on the disk to measure (default: ${DEFAULT-VALUE}); takes up to 4 GiB, removed"
                + " afterwards.")
    private Path dir = Path.of(".millrace");

    @Mixin private ReportFiles files;

    /** Names of benchmarks; all if empty. */
    abstract List<String> only();

    @Override
    public Integer call() throws IOException {
      Env env = Env.real();
      MicroBenchmarks benchmarks = new MicroBenchmarks(env, options());
      files.check();
      PrintWriter out = spec.commandLine().getOut();
      Machine machine = Machine.here(env);
      out.println(TextTable.heading());
      List<Row> rows = benchmarks.run(new Printer(env, out, spec.commandLine().getErr()));
      files.write(
          () -> JsonReport.of(machine, rows),
          () -> HtmlReport.of(spec.qualifiedName(), machine, rows));
      return ExitCode.OK;
    }

    private MicroOptions options() {
      try {
        return new MicroOptions(dir, quick, only());
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage(), e);
      }
    }
  }

  /** {@code millrace bench micro}: single operations against the limits of this machine. */
  @Command(
      name = "micro",
      description = {
        "Single operations, as ratios to limits measured in the same run.",
        "A row ends with ok, or with below or above if it misses its target; the command still"
            + " succeeds. It fails if bytes are wrong.",
        "Cold reads need root on Linux, to drop the page cache."
      })
  static final class Micro extends Rows {

    @Option(
        names = "--only",
        paramLabel = "NAME",
        completionCandidates = Names.class,
        description = "Only this benchmark: ${COMPLETION-CANDIDATES}. May be repeated.")
    private List<String> only = List.of();

    @Override
    List<String> only() {
      return only;
    }
  }

  /** {@code millrace bench tiny}: what a collective call costs with next to nothing to move. */
  @Command(
      name = "tiny",
      description = "Microseconds of a collective call of 16 ranks, 1 KiB each.")
  static final class Tiny extends Rows {

    @Override
    List<String> only() {
      return List.of("tiny");
    }
  }

  /** {@code millrace bench overlap}: asynchronous collective calls beside computing. */
  @Command(
      name = "overlap",
      description =
          "Run a computation and a collective read, separately and at the same time. Prints the"
              + " share of the shorter one that the other hides.")
  static final class Overlap extends Rows {

    @Override
    List<String> only() {
      return List.of("overlap");
    }
  }

  /** A bar while a benchmark runs, its rows when it has ended. Used by one thread. */
  static final class Printer implements MicroBenchmarks.Listener {

    private final Env env;
    private final PrintWriter out;
    private final PrintWriter err;
    private @Nullable ProgressBar bar;

    Printer(Env env, PrintWriter out, PrintWriter err) {
      this.env = env;
      this.out = out;
      this.err = err;
    }

    @Override
    public void begins(String benchmark, int steps) {
      bar = new ProgressBar(err, env, ProgressBar.terminalColumns(), benchmark, steps);
      bar.advance(0);
    }

    @Override
    public void stepped() {
      if (bar != null) {
        bar.advance(1);
      }
    }

    @Override
    public void ended(List<Row> rows) {
      if (bar != null) {
        bar.close();
      }
      rows.forEach(row -> out.println(TextTable.line(row)));
    }
  }
}
