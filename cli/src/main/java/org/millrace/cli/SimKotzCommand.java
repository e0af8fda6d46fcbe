package org.millrace.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
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
      "Runs 36 access patterns by traditional caching and by disk-directed I/O in simulated time,"
          + " prints how fast each is and how much of the nodes' processors it leaves, beside the"
          + " paper's tables 2 and 3, and then what today's hardware changes."
    })
final class SimKotzCommand implements Callable<Integer> {

  private static final int MOST_MEGABYTES = 1000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--quick",
      description = "Only the paper's four representative patterns, only on its own machine.")
  private boolean quick;

  @Option(
      names = "--causes",
      description =
          "Only the four patterns on the paper's machine, with one thing changed at a time: what"
              + " explains the differences from the paper's numbers.")
  private boolean causes;

  @Option(
      names = "--megabytes",
      paramLabel = "N",
      description = "Size of the file (default: ${DEFAULT-VALUE}, the paper's; at most 1000).")
  private int megabytes = 10;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of every run (default: ${DEFAULT-VALUE}); same seed, same course.")
  private long seed = 1;

  @Option(
      names = "--figures",
      paramLabel = "DIR",
      description = "Draw figures 2 and 3 into DIR as figure2.svg and figure3.svg.")
  private @Nullable Path figures;

  @Mixin private ReportFiles files;

  @Override
  public Integer call() throws IOException {
    if (megabytes < 1 || megabytes > MOST_MEGABYTES) {
      throw new ParameterException(
          spec.commandLine(),
          "--megabytes must be in 1..%d: %d".formatted(MOST_MEGABYTES, megabytes));
    }
    files.check();
    if (figures != null) {
      Files.createDirectories(figures);
    }
    PrintWriter out = spec.commandLine().getOut();
    if (causes) {
      CauseStudy study = new CauseStudy((long) megabytes << 20, seed);
      try (ProgressBar bar = bar(study.runs())) {
        out.print(CauseStudy.text(study.run(_ -> bar.advance(1))));
      }
      return ExitCode.OK;
    }
    Study study = new Study(quick, (long) megabytes << 20, seed);
    List<Outcome> outcomes;
    try (ProgressBar bar = bar(study.runs())) {
      outcomes = study.run(_ -> bar.advance(1));
    }
    out.print(Tables.of(outcomes));
    out.print(study.leftOut());
    files.write(() -> KotzJson.of(seed, outcomes), () -> KotzPage.of(seed, outcomes));
    drawFigures(outcomes);
    return ExitCode.OK;
  }

  private ProgressBar bar(int runs) {
    ProgressBar bar =
        new ProgressBar(
            spec.commandLine().getErr(),
            Env.real(),
            ProgressBar.terminalColumns(),
            "sim kotz",
            runs);
    bar.advance(0);
    return bar;
  }

  private void drawFigures(List<Outcome> outcomes) throws IOException {
    if (figures != null) {
      List<Outcome> paper =
          outcomes.stream().filter(one -> one.hardware().equals(Hardware.TABLE_1.name())).toList();
      Files.writeString(figures.resolve("figure2.svg"), Scatter.figure2(paper));
      Files.writeString(figures.resolve("figure3.svg"), Scatter.figure3(paper));
    }
  }
}
