package org.millrace.cli.sim;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.sim.kotz.CauseStudy;
import org.millrace.sim.kotz.Hardware;
import org.millrace.sim.kotz.KotzJson;
import org.millrace.sim.kotz.KotzPage;
import org.millrace.sim.kotz.Outcome;
import org.millrace.sim.kotz.Scatter;
import org.millrace.sim.kotz.Study;
import org.millrace.sim.kotz.Tables;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace sim kotz}. Used by one thread. */
@Command(
    name = "kotz",
    description = {
      "Kotz's experiments on nodes that serve I/O and compute: 16 ranks, 16 nodes, HP 97560 disks.",
      "Runs 36 access patterns with traditional caching and with disk-directed I/O in simulated"
          + " time. Prints the speed of each and the CPU time that it leaves on the nodes, compares"
          + " them with tables 2 and 3 of the paper, and repeats some on models of today's hardware."
    })
final class SimKotzCommand implements Callable<Integer> {

  private static final int MAX_MEGABYTES = 1000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--quick",
      description = "Only the paper's four representative patterns on the paper's machine.")
  private boolean quick;

  @Option(
      names = "--megabytes",
      paramLabel = "N",
      description = "Size of the file (default: ${DEFAULT-VALUE}, the paper's; at most 1000).")
  private int megabytes = 10;

  @Option(
      names = "--causes",
      description =
          "Only the four patterns on the paper's machine, with one thing changed at a time, to find"
              + " out what explains the differences from the paper's numbers.")
  private boolean causes;

  @Mixin private StudyOptions options;

  @Override
  public Integer call() throws IOException {
    if (megabytes < 1 || megabytes > MAX_MEGABYTES) {
      throw new ParameterException(
          spec.commandLine(),
          "--megabytes must be in 1..%s: %s".formatted(MAX_MEGABYTES, megabytes));
    }
    options.check();
    PrintWriter out = spec.commandLine().getOut();
    if (causes) {
      CauseStudy study = new CauseStudy((long) megabytes << 20, options.seed());
      out.print(CauseStudy.text(options.run(study.runs(), bar -> study.run(_ -> bar.accept(1)))));
      return ExitCode.OK;
    }
    Study study = new Study(quick, (long) megabytes << 20, options.seed());
    List<Outcome> outcomes = options.run(study.runs(), bar -> study.run(_ -> bar.accept(1)));
    out.print(Tables.of(outcomes));
    out.print(study.leftOut());
    options.write(
        () -> KotzJson.of(options.seed(), outcomes),
        () -> KotzPage.of(options.seed(), outcomes),
        () -> figures(outcomes));
    return ExitCode.OK;
  }

  private static Map<String, String> figures(List<Outcome> outcomes) {
    List<Outcome> paper =
        outcomes.stream().filter(one -> one.hardware().equals(Hardware.TABLE_1.name())).toList();
    return Map.of(
        "figure2.svg", Scatter.figure2(paper).file(), "figure3.svg", Scatter.figure3(paper).file());
  }
}
