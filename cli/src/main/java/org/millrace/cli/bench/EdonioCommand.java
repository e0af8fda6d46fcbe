package org.millrace.cli.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.papers.EdonioBenchmark;
import org.millrace.bench.papers.EdonioOptions;
import org.millrace.bench.papers.EdonioTable;
import org.millrace.bench.report.EdonioReport;
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

/** {@code millrace bench edonio}: the tables of EDONIO's report. Used by one thread. */
@Command(
    name = "edonio",
    description = {
      "Tables 5.1 to 5.5 of EDONIO's report: a finite-element program writes its elements to one"
          + " shared file and reads them back, with EDONIO, with PFS and with a plain file.",
      "Prints the seconds of each phase and, for writing and reading, how many times as long the"
          + " plain file takes."
    })
final class EdonioCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      description = "Only this table, 5.1 to 5.5. May be repeated.")
  private List<String> only = List.of();

  @Mixin private BenchSize much;
  @Mixin private ReportFiles files;

  @Override
  public Integer call() throws IOException {
    Env env = Env.real();
    EdonioBenchmark benchmark = new EdonioBenchmark(options());
    files.check();
    Machine machine = Machine.here(env);
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        EdonioBenchmark.dropsPages()
            ? "The page cache is dropped before files are read."
            : "The page cache cannot be dropped here (needs root on Linux): plain files are read"
                + " from memory.");
    List<EdonioTable> tables = benchmark.run(new Printer(env, out, spec.commandLine().getErr()));
    files.write(() -> EdonioReport.json(machine, tables), () -> EdonioReport.page(machine, tables));
    return ExitCode.OK;
  }

  private EdonioOptions options() {
    try {
      return new EdonioOptions(much.dir(), much.size(), only);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /** A bar while a table is measured, the table when it has ended. Used by one thread. */
  private static final class Printer implements EdonioBenchmark.Listener {

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
    public void begins(String table, int steps) {
      bar = new ProgressBar(err, env, ProgressBar.terminalColumns(), "table " + table, steps);
      bar.advance(0);
    }

    @Override
    public void stepped() {
      if (bar != null) {
        bar.advance(1);
      }
    }

    @Override
    public void ended(EdonioTable table) {
      if (bar != null) {
        bar.close();
      }
      out.println(table.text());
    }
  }
}
