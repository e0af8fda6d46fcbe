package org.millrace.cli.campaign;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace campaign}: each campaign is a subcommand. Used by one thread. */
@Command(
    name = "campaign",
    description = "Test what a cluster does when its surroundings fail it.",
    subcommands = {RotCommand.class})
public final class CampaignCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(),
        "campaign needs the name of one: " + String.join(", ", spec.subcommands().keySet()));
  }
}
