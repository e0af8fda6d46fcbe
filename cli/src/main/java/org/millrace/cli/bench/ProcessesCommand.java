package org.millrace.cli.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.measure.Row;
import org.millrace.bench.processes.ProcessesBenchmark;
import org.millrace.bench.processes.ProcessesOptions;
import org.millrace.bench.report.HtmlReport;
import org.millrace.bench.report.JsonReport;
import org.millrace.bench.report.TextTable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ReportFiles;
import org.millrace.env.Env;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace bench processes}: Millrace across processes. Used by one thread. */
@Command(
    name = "processes",
    description = {
      "Compare ranks and nodes that are processes with the sockets between them and with MPI-IO.",
      "Without Debian's mpich, libmpich-dev, openmpi-bin and libopenmpi-dev the columns of MPI-IO"
          + " stay empty.",
      "A row ends with ok, or with below or above if it misses its target; the command still"
          + " succeeds."
    })
final class ProcessesCommand implements Callable<Integer> {

  /** The names that {@code --only} knows, for the help. */
  static final class Names implements Iterable<String> {

    @Override
    public Iterator<String> iterator() {
      return ProcessesBenchmark.names().iterator();
    }
  }

  @Spec private CommandSpec spec;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      completionCandidates = Names.class,
      description = "Only this section: ${COMPLETION-CANDIDATES}. May be repeated.")
  private List<String> only = List.of();

  @Option(
      names = "--ranks",
      paramLabel = "P",
      split = ",",
      description = "Numbers of processes of collective calls (default: ${DEFAULT-VALUE}).",
      defaultValue = "4,16")
  private List<Integer> ranks = List.of();

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description = "How many of these processes are also nodes (default: all).")
  private int nodes;

  @Option(
      names = "--workload",
      paramLabel = "NAME",
      description = "Only collective calls whose name contains NAME. May be repeated.")
  private List<String> workloads = List.of();

  @Option(
      names = "--strategies",
      description = "Also run each strategy, and count how often auto is near the best.")
  private boolean strategies;

  @Option(
      names = "--all",
      description = "Run all workloads of bench peers, including the 36 patterns.")
  private boolean all;

  @Mixin private BenchSize much;
  @Mixin private ReportFiles files;

  @Override
  public Integer call() throws IOException {
    Env env = Env.real();
    ProcessesBenchmark benchmark = new ProcessesBenchmark(env, options());
    files.check();
    PrintWriter out = spec.commandLine().getOut();
    Machine machine = Machine.here(env);
    benchmark.missing().ifPresent(why -> out.println("Millrace alone: " + why));
    out.println(TextTable.heading());
    List<Row> rows = benchmark.run(new BenchCommand.Printer(env, out, spec.commandLine().getErr()));
    files.write(
        () -> JsonReport.of(machine, rows),
        () -> HtmlReport.of("millrace bench processes", machine, rows));
    return ExitCode.OK;
  }

  private ProcessesOptions options() {
    try {
      return new ProcessesOptions(
          much.dir(), much.size(), only, workloads, all, ranks, nodes, strategies);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
