package org.millrace.cli.sim;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace sim}: experiments in simulated time, each a subcommand. Used by one thread. */
@Command(
    name = "sim",
    description = "Run the real code in simulated time, on simulated machines.",
    subcommands = {
      SimKotzCommand.class,
      SimPassionCommand.class,
      SimScaleCommand.class,
      SimHuntCommand.class
    })
public final class SimCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(),
        "sim needs the name of an experiment: " + String.join(", ", spec.subcommands().keySet()));
  }
}
