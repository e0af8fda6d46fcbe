package org.millrace.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.cli.terminal.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace help}: the same as {@code --help}. Used by one thread. */
@Command(name = "help", description = "Show the help of a command, or the list of all.")
final class HelpCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..*",
      paramLabel = "COMMAND",
      description = "A command, and its own command if it has some.")
  private List<String> command = List.of();

  /** Reads the annotations of the command that is asked for, and no others: they take the time. */
  @Override
  public Integer call() {
    CommandLine here = spec.commandLine();
    String first = command.isEmpty() ? "" : command.getFirst();
    CommandLine known = Main.commandLine(here.getOut(), here.getErr(), first);
    for (String word : command) {
      known = known.getSubcommands().get(word);
      if (known == null) {
        throw new ParameterException(here, "there is no command '" + word + "'");
      }
    }
    known.usage(here.getOut());
    return ExitCode.OK;
  }
}
