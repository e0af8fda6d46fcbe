package org.millrace.cli.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.papers.SharingBenchmark;
import org.millrace.bench.papers.SharingOptions;
import org.millrace.bench.papers.SharingResult;
import org.millrace.bench.report.SharingReport;
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

/** {@code millrace bench sharing}: nodes that compute and serve I/O. Used by one thread. */
@Command(
    name = "sharing",
    description =
        "Measure how much a stream of 1 KB requests to one node slows down a computation on all"
            + " nodes: table 4 of Kotz and Cai, Exploring the use of I/O nodes for computation."
            + " Processes that are nodes solve systems of equations as LINPACK does, with a barrier"
            + " after each iteration. Another process reads or writes a file on one of them, in"
            + " order or at random. As a control, a node that does not compute serves the stream.")
final class SharingCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--ranks",
      paramLabel = "P",
      description = "How many processes compute (default: ${DEFAULT-VALUE}, as in the paper).")
  private int ranks = 6;

  @Option(
      names = "--bind",
      negatable = true,
      description =
          "Bind each rank to one processor, except the last processor, and everything else to the"
              + " last one (Linux, taskset), so that the client takes no time from the ranks. By"
              + " default this is done if possible and if there are fewer processors than"
              + " processes.")
  private @Nullable Boolean bind;

  @Mixin private BenchSize much;
  @Mixin private ReportFiles files;

  @Override
  public Integer call() throws IOException {
    Env env = Env.real();
    SharingBenchmark benchmark = new SharingBenchmark(options());
    files.check();
    Machine machine = Machine.here(env);
    PrintWriter out = spec.commandLine().getOut();
    SharingResult result =
        benchmark.run(new Printer(env, machine, out, spec.commandLine().getErr()));
    files.write(
        () -> SharingReport.json(machine, result), () -> SharingReport.page(machine, result));
    return ExitCode.OK;
  }

  private SharingOptions options() {
    try {
      return new SharingOptions(
          much.dir(), much.size(), ranks, bind == null ? SharingOptions.wantsBinding(ranks) : bind);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /** A bar while it runs, the table when it has ended. Used by one thread. */
  private static final class Printer implements SharingBenchmark.Listener {

    private final Env env;
    private final Machine machine;
    private final PrintWriter out;
    private final PrintWriter err;
    private @Nullable ProgressBar bar;

    Printer(Env env, Machine machine, PrintWriter out, PrintWriter err) {
      this.env = env;
      this.machine = machine;
      this.out = out;
      this.err = err;
    }

    @Override
    public void begins(int steps) {
      bar = new ProgressBar(err, env, ProgressBar.terminalColumns(), "sharing", steps);
      bar.advance(0);
    }

    @Override
    public void stepped() {
      if (bar != null) {
        bar.advance(1);
      }
    }

    @Override
    public void ended(SharingResult result) {
      if (bar != null) {
        bar.close();
      }
      out.println(result.table());
      String caution = result.caution(machine.processors());
      if (!caution.isEmpty()) {
        out.println(caution);
      }
    }
  }
}
