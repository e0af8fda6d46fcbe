package org.millrace.cli.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.measure.Row;
import org.millrace.bench.processes.CopyBenchmark;
import org.millrace.bench.processes.CopyOptions;
import org.millrace.bench.report.HtmlReport;
import org.millrace.bench.report.JsonReport;
import org.millrace.bench.report.TextTable;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.cli.terminal.ByteCount;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ReportFiles;
import org.millrace.env.Env;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace bench copy}: put and get as people run them. Used by one thread. */
@Command(
    name = "copy",
    description = {
      "Compare the commands put and get with cp and sync, on the same large file and on the same"
          + " many small ones.",
      "A row ends with ok, or with below if it misses its target; the command still succeeds."
    })
final class CopyCommand implements Callable<Integer> {

  /** Nodes are compiling for some laps, which takes a sixth of the processors in the third. */
  private static final int WARM_UPS = 3;

  private static final int LAPS = 3;

  @Spec private CommandSpec spec;

  @Option(
      names = "--bytes",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      defaultValue = "1000000000",
      description = "Bytes of the file (default: ${DEFAULT-VALUE}).")
  private long bytes;

  @Option(
      names = "--files",
      paramLabel = "N",
      description = "Small files (default: ${DEFAULT-VALUE}).")
  private int count = 1000;

  @Option(
      names = "--file-bytes",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      defaultValue = "100",
      description = "Bytes of each small file (default: ${DEFAULT-VALUE}).")
  private long fileBytes;

  @Option(
      names = "--laps",
      paramLabel = "N",
      description = "Repetitions (default: ${DEFAULT-VALUE}).")
  private int laps = LAPS;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description = "Nodes of the cluster, processes on this host (default: ${DEFAULT-VALUE}).")
  private int nodes = 2;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Folder on the disk to use (default: ${DEFAULT-VALUE}); needs four times the file size,"
              + " removed afterwards.")
  private Path dir = Path.of(".millrace");

  @Mixin private ReportFiles files;

  @Override
  public Integer call() throws IOException {
    Env env = Env.real();
    CopyBenchmark benchmark = new CopyBenchmark(env, options(), CopyCommand::line);
    files.check();
    PrintWriter out = spec.commandLine().getOut();
    Machine machine = Machine.here(env);
    out.println(TextTable.heading());
    List<Row> rows = benchmark.run(new BenchCommand.Printer(env, out, spec.commandLine().getErr()));
    files.write(
        () -> JsonReport.of(machine, rows),
        () -> HtmlReport.of("millrace bench copy", machine, rows));
    return ExitCode.OK;
  }

  private CopyOptions options() {
    try {
      int each = (int) Math.min(Integer.MAX_VALUE, fileBytes);
      CopyOptions.SmallSet small = new CopyOptions.SmallSet(count, each);
      return new CopyOptions(dir, bytes, laps > 1 ? WARM_UPS : 0, laps, nodes, small);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /** By the launcher, as people do, if this JVM was started by it. */
  private static List<String> line(List<String> args) {
    @Nullable String launcher = System.getProperty("millrace.command");
    if (launcher == null || !Files.isExecutable(Path.of(launcher))) {
      return JavaCommand.of(args);
    }
    List<String> line = new ArrayList<>(List.of(launcher));
    line.addAll(args);
    return line;
  }
}
