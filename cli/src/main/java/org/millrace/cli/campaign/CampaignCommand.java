package org.millrace.cli.campaign;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace campaign}: faults against real processes. Used by one thread. */
@Command(
    name = "campaign",
    description = {
      "Attack a cluster of processes on this host and check what it has promised.",
      "Each campaign prints its seed, what it did and what it checked. It ends with 1 if anything"
          + " was lost or wrong, and also if too little happened to show anything."
    },
    subcommands = {
      PowerCommand.class,
      DiskCommand.class,
      KillCommand.class,
      NetworkCommand.class,
      LeaderCommand.class,
      LostCommand.class,
      RotCommand.class
    })
public final class CampaignCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(),
        "campaign needs the name of one: " + String.join(", ", spec.subcommands().keySet()));
  }
}
