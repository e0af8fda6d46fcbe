package org.millrace.cli.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.papers.ColumbusBenchmark;
import org.millrace.bench.papers.ColumbusOptions;
import org.millrace.bench.papers.ColumbusResult;
import org.millrace.bench.report.ColumbusReport;
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

/** {@code millrace bench columbus}: compressed records under locks. Used by one thread. */
@Command(
    name = "columbus",
    description = {
      "All ranks update compressed records of about 30 KB in one shared file, in random order, each"
          + " under a lock of the group: on strands, and on one plain file. Checks every record.",
      "Each rank is a process that is also a node. Prints table 1 of the paper on Distant I/O."
    })
final class ColumbusCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--ranks",
      paramLabel = "P",
      description = "How many ranks update records (default: ${DEFAULT-VALUE}).")
  private int ranks = 4;

  @Mixin private BenchSize much;
  @Mixin private ReportFiles files;

  @Override
  public Integer call() throws IOException {
    Env env = Env.real();
    ColumbusBenchmark benchmark = new ColumbusBenchmark(options());
    files.check();
    Machine machine = Machine.here(env);
    List<ColumbusResult> results = benchmark.run(new Printer(env));
    spec.commandLine().getOut().println(ColumbusResult.table1(results));
    spec.commandLine().getOut().println(ColumbusResult.table(results));
    files.write(
        () -> ColumbusReport.json(machine, results), () -> ColumbusReport.page(machine, results));
    return ExitCode.OK;
  }

  private ColumbusOptions options() {
    try {
      return new ColumbusOptions(much.dir(), much.size(), ranks);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /** A bar. Begun by one thread, then used by rank 0's. */
  private final class Printer implements ColumbusBenchmark.Listener {

    private final Env env;
    private @Nullable ProgressBar bar;
    private int left;

    Printer(Env env) {
      this.env = env;
    }

    @Override
    public void begins(int steps) {
      left = steps;
      bar =
          new ProgressBar(
              spec.commandLine().getErr(), env, ProgressBar.terminalColumns(), "columbus", steps);
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
  }
}
