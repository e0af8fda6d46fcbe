package org.millrace.cli.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.processes.MountBenchmark;
import org.millrace.bench.processes.MountBenchmark.Mounted;
import org.millrace.bench.processes.MountSizes;
import org.millrace.bench.report.HtmlReport;
import org.millrace.bench.report.JsonReport;
import org.millrace.bench.report.TextTable;
import org.millrace.cli.mount.TrialMount;
import org.millrace.cli.terminal.ByteCount;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.ReportFiles;
import org.millrace.env.Env;
import org.millrace.mount.Mount;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace bench mount}: a mounted cluster beside the disk below. Used by one thread. */
@Command(
    name = "mount",
    description = {
      "Compare files of a mounted cluster with files of the disk below it: large transfers, small"
          + " reads, new files. Mounts it three times: as usual, with --direct and with --cache.",
      "A row ends with ok, or with below if it misses its target; the command still succeeds.",
      "Rows are skipped where nothing can be mounted."
    })
final class MountRateCommand implements Callable<Integer> {

  private static final int WARM_UPS = 2;
  private static final int KINDS = 3;
  private static final int COPIES = 4;

  @Spec private CommandSpec spec;

  @Option(
      names = "--bytes",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      defaultValue = "256M",
      description = "Bytes of the large file (default: ${DEFAULT-VALUE}).")
  private long bytes;

  @Option(
      names = "--reads",
      paramLabel = "N",
      description = "Reads of 4 KiB (default: ${DEFAULT-VALUE}).")
  private int reads = 20_000;

  @Option(
      names = "--files",
      paramLabel = "N",
      description = "New files (default: ${DEFAULT-VALUE}).")
  private int count = 4_000;

  @Option(
      names = "--laps",
      paramLabel = "N",
      description = "Repetitions (default: ${DEFAULT-VALUE}).")
  private int laps = 3;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description = "Nodes of the cluster, processes on this host (default: ${DEFAULT-VALUE}).")
  private int nodes = 2;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Folder on the disk to use (default: ${DEFAULT-VALUE}); what is made there is removed"
              + " afterwards.")
  private Path dir = Path.of(".millrace");

  @Mixin private ReportFiles files;

  @Override
  public Integer call() throws IOException {
    Env env = Env.real();
    MountSizes sizes = sizes();
    files.check();
    PrintWriter out = spec.commandLine().getOut();
    Machine machine = Machine.here(env);
    out.println(TextTable.heading());
    var printer = new BenchCommand.Printer(env, out, spec.commandLine().getErr());
    printer.begins(MountBenchmark.NAME, KINDS * (WARM_UPS + laps));
    List<Row> rows = measure(new MountBenchmark(env, sizes), printer::stepped);
    printer.ended(rows);
    files.write(
        () -> JsonReport.of(machine, rows),
        () -> HtmlReport.of("millrace bench mount", machine, rows));
    return ExitCode.OK;
  }

  private MountSizes sizes() {
    try {
      return new MountSizes(bytes, reads, count, laps > 1 ? WARM_UPS : 0, laps);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private List<Row> measure(MountBenchmark benchmark, Runnable step) throws IOException {
    try (Scratch scratch = new Scratch(dir)) {
      scratch.checkSpace(COPIES * bytes);
      Path folder = scratch.folder("mount");
      try {
        Mount.check(Files.createDirectory(folder.resolve("probe")));
      } catch (IOException e) {
        return MountBenchmark.skipped(String.valueOf(e.getMessage()));
      }
      try (TrialMount trial = TrialMount.start(folder, nodes)) {
        Path usual = Files.createDirectory(trial.mount("usual").resolve("usual"));
        Path direct = Files.createDirectory(trial.mount("direct", "--direct").resolve("direct"));
        Path cached = Files.createDirectory(trial.mount("cached", "--cache").resolve("cached"));
        return benchmark.run(
            Files.createDirectory(folder.resolve("plain")),
            List.of(
                new Mounted("mount", usual),
                new Mounted("mount --direct", direct),
                new Mounted("mount --cache", cached)),
            step);
      }
    }
  }
}
