package org.millrace.cli.sim;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.plan.Strategy;
import org.millrace.sim.scale.Case;
import org.millrace.sim.scale.ScaleJson;
import org.millrace.sim.scale.ScaleOutcome;
import org.millrace.sim.scale.ScalePage;
import org.millrace.sim.scale.ScaleStudy;
import org.millrace.sim.scale.ScaleTables;
import org.millrace.sim.scale.Trial;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace sim scale}. Used by one thread. */
@Command(
    name = "scale",
    description = {
      "The same work on 1, 4, 16 ... nodes, by each strategy, in simulated time.",
      "As many ranks as nodes read or write one file in one collective call. Prints throughput, free"
          + " CPU, messages and memory by number of nodes, and the busiest resource."
    })
final class SimScaleCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Up to " + ScaleStudy.MAX_QUICK_NODES + " nodes only.")
  private boolean quick;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description =
          "Largest number of nodes, up to "
              + ScaleStudy.MAX_NODES
              + " (default: "
              + ScaleStudy.USUAL_NODES
              + ").")
  private @Nullable Integer nodes;

  @Option(
      names = "--strategies",
      paramLabel = "LIST",
      split = ",",
      description = "Only these strategies, such as sieved,disk-directed (default: all five).")
  private List<String> strategies = List.of();

  @Mixin private StudyOptions options;

  @Override
  public Integer call() throws IOException {
    Integer named = nodes;
    int most = named != null ? named : quick ? ScaleStudy.MAX_QUICK_NODES : ScaleStudy.USUAL_NODES;
    if (most < 1 || most > ScaleStudy.MAX_NODES) {
      throw new ParameterException(
          spec.commandLine(), "--nodes must be in 1.." + ScaleStudy.MAX_NODES + ": " + most);
    }
    options.check();
    PrintWriter out = spec.commandLine().getOut();
    ScaleStudy study = new ScaleStudy(most, options.seed(), named());
    long total = study.cases().stream().mapToLong(Case::nodes).sum();
    List<ScaleOutcome> outcomes =
        options.run(total, bar -> study.run(one -> bar.accept(one.nodes())));
    out.print(ScaleTables.of(outcomes));
    out.print(ScaleTables.stops(outcomes));
    options.write(
        () -> ScaleJson.of(options.seed(), outcomes),
        () -> ScalePage.of(options.seed(), outcomes),
        () -> ScalePage.pictures(outcomes));
    return ExitCode.OK;
  }

  private List<Strategy> named() {
    if (strategies.isEmpty()) {
      return Trial.strategies();
    }
    List<Strategy> named = new ArrayList<>();
    for (String word : strategies) {
      try {
        named.add(Strategy.parse(word));
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), "--strategies: " + e.getMessage(), e);
      }
    }
    if (named.contains(Strategy.AUTO)) {
      throw new ParameterException(spec.commandLine(), "--strategies: auto is not a strategy");
    }
    return named;
  }
}
