package org.millrace.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.millrace.bench.MicroBenchmarks;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace bench}: measurements, each a subcommand. Used by one thread. */
@Command(
    name = "bench",
    description = "Measure what this machine and Millrace on it can do.",
    subcommands = BenchCommand.Micro.class)
final class BenchCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "bench needs the name of a benchmark: micro");
  }

  /** {@code millrace bench micro}: single operations against the limits of this machine. */
  @Command(
      name = "micro",
      description = "Single operations, as ratios to limits measured in the same run.")
  static final class Micro implements Callable<Integer> {

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
      MicroBenchmarks.run(spec.commandLine().getOut());
      return ExitCode.OK;
    }
  }
}
