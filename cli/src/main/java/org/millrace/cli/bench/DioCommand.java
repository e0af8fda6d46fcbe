package org.millrace.cli.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.papers.DioBenchmark;
import org.millrace.bench.papers.DioCurve;
import org.millrace.bench.papers.DioOptions;
import org.millrace.bench.report.DioReport;
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

/** {@code millrace bench dio}: local and remote rates. Used by one thread. */
@Command(
    name = "dio",
    description = {
      "Rates of dio_read and dio_write by request size, 4 KiB to 4 MiB, with one rank and one"
          + " node.",
      "Figures 6 and 7 of the paper on Distant I/O show them up to 32 KiB.",
      "Local: the node is in the rank's process. Remote: it is in another process, reached through"
          + " shared memory, a Unix-domain socket or TCP. Measured from the cache, and from the"
          + " disk without the page cache."
    })
final class DioCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(names = "--only", paramLabel = "NAME", description = "Only cached, or only disk.")
  private List<String> only = List.of();

  @Mixin private BenchSize much;
  @Mixin private ReportFiles files;

  @Override
  public Integer call() throws IOException {
    Env env = Env.real();
    DioBenchmark benchmark = new DioBenchmark(options());
    files.check();
    Machine machine = Machine.here(env);
    PrintWriter out = spec.commandLine().getOut();
    List<DioCurve> curves = benchmark.run(new Printer(env, out, spec.commandLine().getErr()));
    out.println(DioBenchmark.PAPER);
    files.write(() -> DioReport.json(machine, curves), () -> DioReport.page(machine, curves));
    return ExitCode.OK;
  }

  private DioOptions options() {
    try {
      return new DioOptions(much.dir(), much.size(), only);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /** A bar while a medium is measured, its curves when it has ended. Used by one thread. */
  private static final class Printer implements DioBenchmark.Listener {

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
    public void begins(String medium, int steps) {
      bar = new ProgressBar(err, env, ProgressBar.terminalColumns(), medium, steps);
      bar.advance(0);
    }

    @Override
    public void stepped() {
      if (bar != null) {
        bar.advance(1);
      }
    }

    @Override
    public void ended(List<DioCurve> curves) {
      if (bar != null) {
        bar.close();
      }
      curves.forEach(curve -> out.println(curve.table()));
    }
  }
}
