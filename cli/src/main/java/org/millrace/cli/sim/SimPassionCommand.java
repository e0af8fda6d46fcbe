package org.millrace.cli.sim;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.sim.passion.Cause;
import org.millrace.sim.passion.Outcome;
import org.millrace.sim.passion.PassionJson;
import org.millrace.sim.passion.PassionPage;
import org.millrace.sim.passion.PassionStudy;
import org.millrace.sim.passion.PassionTables;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code millrace sim passion}. Used by one thread. */
@Command(
    name = "passion",
    description = {
      "PASSION's experiments on the Intel Touchstone Delta: 16 and 64 processors, 64 disks that"
          + " seek.",
      "Reads the sections of table 1 and the distributions of figure 2 with the direct, two-phase"
          + " and extended two-phase methods in simulated time, and compares the times with the"
          + " paper's."
    })
final class SimPassionCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--quick",
      description = "Only rows I, II and VI of table 1, and figure 2 of a small array.")
  private boolean quick;

  @Option(
      names = "--causes",
      description =
          "Only table 1, on machines that differ from the model in one thing that the Delta's file"
              + " system may have done, to find out which of them explains the paper's times.")
  private boolean causes;

  @Mixin private StudyOptions options;

  @Override
  public Integer call() throws IOException {
    options.check();
    PassionStudy study = new PassionStudy(quick, options.seed());
    if (causes) {
      Map<Cause, List<Outcome>> found =
          options.run(study.causeRuns(), bar -> study.causes(_ -> bar.accept(1)));
      spec.commandLine().getOut().print(PassionTables.causes(found));
      return ExitCode.OK;
    }
    List<Outcome> outcomes = options.run(study.runs(), bar -> study.run(_ -> bar.accept(1)));
    spec.commandLine().getOut().print(PassionTables.of(outcomes));
    options.write(
        () -> PassionJson.of(options.seed(), outcomes),
        () -> PassionPage.of(options.seed(), outcomes),
        () ->
            Map.of(
                "table1.svg",
                PassionPage.table1(outcomes).file(),
                "figure2.svg",
                PassionPage.figure2(outcomes).file()));
    return ExitCode.OK;
  }
}
