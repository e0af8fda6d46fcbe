package org.millrace.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
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
      "Reads the sections of table 1 and the distributions of figure 2 by the direct, the two-phase"
          + " and the extended two-phase method in simulated time, and prints the seconds beside the"
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
          "Only table 1, on machines each of which differs from Millrace's by one thing that the"
              + " Delta's file system may have done: which of them explains the paper's seconds.")
  private boolean causes;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of every run (default: ${DEFAULT-VALUE}); same seed, same course.")
  private long seed = 1;

  @Option(
      names = "--figures",
      paramLabel = "DIR",
      description = "Draw the table and the figure into DIR as table1.svg and figure2.svg.")
  private @Nullable Path figures;

  @Mixin private ReportFiles files;

  @Override
  public Integer call() throws IOException {
    files.check();
    if (figures != null) {
      Files.createDirectories(figures);
    }
    PassionStudy study = new PassionStudy(quick, seed);
    if (causes) {
      try (ProgressBar bar = bar(study.causeRuns())) {
        Map<Cause, List<Outcome>> found = study.causes(_ -> bar.advance(1));
        spec.commandLine().getOut().print(PassionTables.causes(found));
      }
      return ExitCode.OK;
    }
    List<Outcome> outcomes;
    try (ProgressBar bar = bar(study.runs())) {
      outcomes = study.run(_ -> bar.advance(1));
    }
    spec.commandLine().getOut().print(PassionTables.of(outcomes));
    files.write(() -> PassionJson.of(seed, outcomes), () -> PassionPage.of(seed, outcomes));
    if (figures != null) {
      Files.writeString(figures.resolve("table1.svg"), PassionPage.table1(outcomes));
      Files.writeString(figures.resolve("figure2.svg"), PassionPage.figure2(outcomes));
    }
    return ExitCode.OK;
  }

  private ProgressBar bar(int runs) {
    ProgressBar bar =
        new ProgressBar(
            spec.commandLine().getErr(),
            Env.real(),
            ProgressBar.terminalColumns(),
            "sim passion",
            runs);
    bar.advance(0);
    return bar;
  }
}
