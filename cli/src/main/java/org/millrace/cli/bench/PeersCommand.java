package org.millrace.cli.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.measure.Machine;
import org.millrace.bench.peers.PeerRow;
import org.millrace.bench.peers.PeersBenchmark;
import org.millrace.bench.peers.PeersOptions;
import org.millrace.bench.report.PeersJson;
import org.millrace.bench.report.PeersPage;
import org.millrace.bench.report.PeersTable;
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

/** {@code millrace bench peers}: Millrace beside MPI-IO. Used by one thread. */
@Command(
    name = "peers",
    description = {
      "Compare Millrace with MPICH's ROMIO and Open MPI's OMPIO and ROMIO on the same workloads.",
      "Needs Debian's mpich, libmpich-dev, openmpi-bin and libopenmpi-dev; takes about 20 minutes.",
      "A row ends with ok, or with below if it misses its target; the command still succeeds."
    })
final class PeersCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--ranks",
      paramLabel = "P",
      split = ",",
      description = "Numbers of ranks (default: ${DEFAULT-VALUE}).",
      defaultValue = "4,16")
  private List<Integer> ranks = List.of();

  @Option(
      names = "--only",
      paramLabel = "NAME",
      description =
          "Only suites (passion, patterns, ior) and workloads whose name contains NAME. May be"
              + " repeated.")
  private List<String> only = List.of();

  @Option(names = "--quick", description = "One round with few laps, for a first look.")
  private boolean quick;

  @Option(
      names = "--cold",
      description = "Cold reads: drop the page cache first, which needs root on Linux.")
  private boolean cold;

  @Option(
      names = "--hint",
      paramLabel = "KEY=VALUE",
      description =
          "A hint for the peers, such as romio_cb_read=enable. May be repeated. Unless one begins"
              + " with cb_, ROMIO gets an aggregator for each processor.")
  private List<String> hints = List.of();

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Folder on the disk to use (default: ${DEFAULT-VALUE}); takes up to 1 GiB, removed"
              + " afterwards.")
  private Path dir = Path.of(".millrace");

  @Mixin private ReportFiles files;

  @Override
  public Integer call() throws IOException {
    Env env = Env.real();
    PeersBenchmark benchmark = benchmark(env);
    files.check();
    PrintWriter out = spec.commandLine().getOut();
    Machine machine = Machine.here(env);
    PeersBenchmark.Result result =
        benchmark.run(new Printer(env, out, spec.commandLine().getErr()));
    out.println(PeersTable.summary(result.rows()));
    result.libraries().forEach(out::println);
    result.notes().forEach(out::println);
    files.write(
        () -> PeersJson.of(machine, result),
        () -> PeersPage.of("millrace bench peers", machine, result));
    return ExitCode.OK;
  }

  private PeersBenchmark benchmark(Env env) {
    try {
      return new PeersBenchmark(env, new PeersOptions(dir, quick, ranks, only, cold, hints));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /** A bar while a round runs, rows when all rounds have ended. Used by one thread at a time. */
  private static final class Printer implements PeersBenchmark.Listener {

    private final Env env;
    private final PrintWriter out;
    private final PrintWriter err;
    private @Nullable ProgressBar bar;
    private boolean headed;

    Printer(Env env, PrintWriter out, PrintWriter err) {
      this.env = env;
      this.out = out;
      this.err = err;
    }

    @Override
    public void begins(String what, int steps) {
      close();
      bar = new ProgressBar(err, env, ProgressBar.terminalColumns(), what, steps);
      bar.advance(0);
    }

    @Override
    public void stepped() {
      if (bar != null) {
        bar.advance(1);
      }
    }

    @Override
    public void row(PeerRow row) {
      close();
      if (!headed) {
        out.println(PeersTable.heading());
        headed = true;
      }
      out.println(PeersTable.line(row));
    }

    private void close() {
      if (bar != null) {
        bar.close();
      }
    }
  }
}
